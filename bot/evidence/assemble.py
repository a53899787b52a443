"""Evidence of one attempt out of its job logs: each log read and classified, lost ones accounted for.

`read_job` is the stage's costly step: a plain function on values, fit for a spawned process. What
of the evidence may be used is `bot.evidence.samples`' part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bot.domain import JobEvidence, JobLog, LogState, Run, RunEvidence, Suite
from bot.errors import UserError
from bot.evidence.classify import classify
from bot.evidence.dialects.port import NOTHING_TOLD, Told
from bot.evidence.doubts import with_doubts
from bot.evidence.job_names import stem_of_name, suite_of_name
from bot.evidence.read import read_log
from bot.repo_config.logs import Logs

LOST = frozenset({LogState.GONE, LogState.EMPTY, LogState.FORBIDDEN})


def told_by(logs: Logs) -> Told:
    """What the configuration says about reading logs."""
    return Told(dialects=logs.dialects, begin=logs.block.begin, end=logs.block.end, roots=logs.roots)


def read_job(run: Run, log: JobLog, told: Told = NOTHING_TOLD) -> JobEvidence:
    """Read one job's log once (hash, line count, records) and judge its files.

    Raises:
        UserError: the bytes on disk are not those the source counted.
    """
    if log.state is not LogState.PRESENT:
        return classify(run, log, None)
    path = Path(log.path)
    try:
        reading = read_log(path, told if told.repository else replace(told, repository=run.measures or run.repository))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); fetch the log again") from error
    for what, found, recorded in (
        ("bytes", reading.size, log.size),
        ("line_count", reading.lines, log.lines),
        ("SHA-256", reading.sha256, log.sha256 or reading.sha256),
    ):
        if found != recorded:
            raise UserError(f"{path}: {what} is {found}, {recorded} was recorded for it; fetch the log again")
    return with_doubts(classify(run, replace(log, sha256=reading.sha256), reading.parsed), path)


def run_evidence(run: Run, jobs: Iterable[JobEvidence]) -> RunEvidence:
    """One attempt's evidence. A suite is partial where a log that should exist cannot be had."""
    held = tuple(jobs)
    known = {stem_of_name(job.log.job.name): job.plan.suite for job in held if job.plan is not None and job.plan.suite}
    lost = (job.log.job.name for job in held if job.log.state in LOST)
    partial = (_suite(name, known) for name in lost)
    return RunEvidence(run, held, frozenset(suite for suite in partial if suite is not None))


def _suite(name: str, known: dict[str, Suite]) -> Suite | None:
    """The suite of a job without a log: that of the other partitions, else what its name carries."""
    return known.get(stem_of_name(name)) or suite_of_name(name)
