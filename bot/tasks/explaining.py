"""Where what the logs tell meets what needs an explanation: traces in, findings out. Pure.

Which lines are kept of a log is `bot.evidence.telling`'s part, what a finding says
`bot.calibration.limits`'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.calibration.limits import Known, RowName, limit_findings, row_name, rows_to_trace
from bot.calibration.policies import Policy
from bot.domain import JobEvidence, JobId, LimitFinding, Rejection, RowTrace, RunEvidence, Sample
from bot.evidence.carried import mark_carried
from bot.evidence.telling import telling_lines, traces
from bot.repo_config import RepoConfig
from bot.tasks.gather import Gathered

Told = Mapping[JobId, Mapping[int, bytes]]


@dataclass(frozen=True, slots=True)
class Judging:
    """How an evaluation judges, as far as explaining goes."""

    config: RepoConfig
    policy: Policy


def jobs_to_explain(runs: Sequence[RunEvidence], config: RepoConfig) -> tuple[JobEvidence, ...]:
    """The jobs whose lines an explanation rests on: few, for few tests come near their limit."""
    wanted = {row.job_id for row in rows_to_trace(mark_carried(runs), config.timeout.rule)}
    return tuple(job for one in runs for job in one.jobs if job.carried_from is None and job.log.job.job_id in wanted)


def told_by_logs(jobs: Iterable[JobEvidence], config: RepoConfig) -> Told:
    """The telling lines of jobs whose logs are on disk."""
    return {job.log.job.job_id: telling_lines(job, config) for job in jobs}


def all_traces(runs: Sequence[RunEvidence], told: Told, config: RepoConfig) -> Mapping[RowName, RowTrace]:
    """What the lines say of each row."""
    found: dict[RowName, RowTrace] = {}
    for job in (job for one in runs for job in one.jobs if job.carried_from is None):
        lines = told.get(job.log.job.job_id)
        by_index = traces(job, lines, config) if lines else {}
        found |= {row_name(row): by_index[row.plan_index] for row in job.rows if row.plan_index in by_index}
    return found


def explain(
    runs: Sequence[RunEvidence],
    judged: Iterable[Sample | Rejection],
    at: Gathered,
    told: Told,
    judging: Judging,
) -> tuple[LimitFinding, ...]:
    """Every test that hit its limit or nearly did; `runs` with carried-over jobs marked."""
    return limit_findings(
        runs,
        Known(
            rule=judging.config.timeout.rule,
            policy=judging.policy,
            traces=all_traces(runs, told, judging.config),
            accepted=frozenset(row_name(one.row) for one in judged if isinstance(one, Sample)),
            commits=at.touching,
            blobs={(path, head.sha): entry.blob for head in at.heads.values() for path, entry in head.files.items()},
        ),
    )
