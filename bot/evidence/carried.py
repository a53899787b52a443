"""Marks jobs that a later attempt repeats from an earlier one, so that each counts once.

Pure. Re-running failed jobs lists all jobs again; those that did not run come back with new ids, or
with the old ones, and with a copy of the old log (GitHub's documented behaviour leaves it open).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.domain import JobEvidence, JobId, LogState, Run, RunEvidence


def mark_carried(attempts: Sequence[RunEvidence]) -> tuple[RunEvidence, ...]:
    """The same attempts (of any runs), by run id and attempt, with `carried_from` set.

    A job is carried over where it started before its attempt did, bears an earlier job's id, or
    has the very log of the same-named job of an earlier attempt. It points to the earliest job
    whose log can be had; where that is itself, it is not marked.
    """
    marked: list[RunEvidence] = []
    earlier: dict[str, list[JobEvidence]] = {}
    ordered = sorted(attempts, key=lambda one: (one.run.run_id, one.run.attempt))
    for i, attempt in enumerate(ordered):
        if i == 0 or ordered[i - 1].run.run_id != attempt.run.run_id:
            earlier = {}
        jobs = tuple(_marked(attempt.run, job, earlier.get(job.log.job.name, [])) for job in attempt.jobs)
        for job in jobs:
            if job.carried_from is None and job.log.state is LogState.PRESENT:
                earlier.setdefault(job.log.job.name, []).append(job)
        marked.append(replace(attempt, jobs=jobs))
    return tuple(marked)


def _marked(run: Run, job: JobEvidence, earlier: Sequence[JobEvidence]) -> JobEvidence:
    source = _source(run, job, earlier)
    return job if source is None else replace(job, carried_from=source)


def _source(run: Run, job: JobEvidence, earlier: Sequence[JobEvidence]) -> JobId | None:
    """The earlier job that this one repeats, None where it ran in this attempt."""
    for one in earlier:
        same_log = bool(job.log.sha256) and job.log.sha256 == one.log.sha256
        if same_log or job.log.job.job_id == one.log.job.job_id:
            return one.log.job.job_id
    started = job.log.job.started_at
    before = run.started_at is not None and started is not None and started < run.started_at
    return earlier[-1].log.job.job_id if earlier and before else None
