"""Run attempts with their jobs and timings: recorded once, read back as the evidence they were.

A log that GitHub has dropped meanwhile never erases what was read while it was there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.domain import JobEvidence, JobId, LogState, RepositoryId, Run, RunEvidence, RunId, ScheduledFile, Suite
from bot.records.measurements import NightWindow
from bot.store.database import Database, upsert
from bot.store.rows import Row, job_row, job_value, run_row, run_value, timing_row, timing_value
from bot.store.schema.evidence import jobs, runs, timings
from bot.store.schema.repositories import repositories


class Runs:
    """Evidence as it was read, one attempt at a time."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def record(self, repository_id: RepositoryId, evidence: RunEvidence) -> None:
        """Keep an attempt's jobs and every timing of theirs.

        A second recording replaces the first, but a job whose log was present once stays as it is
        where the new log is not present.

        Raises:
            InternalError: a timing is listed under another job than its own.
            RetryableError: the database is busy; nothing was written.
        """
        run = evidence.run
        identity: Row = {"repository_id": repository_id, "run_id": run.run_id, "attempt": run.attempt}
        row = run_row(repository_id, run, sorted(evidence.partial), self._now())
        with self._database.write() as connection:
            upsert(connection, runs, [row], keep=("partial",))  # also the lock: a second recorder waits here
            kept = _better_stored(connection, identity, evidence.jobs)
            _set_partial(connection, identity, evidence, kept)
            new = [(i, job) for i, job in enumerate(evidence.jobs) if job.log.job.job_id not in kept]
            upsert(connection, jobs, [job_row(identity, i, job) for i, job in new])
            upsert(connection, timings, [timing_row(identity, run, job, t) for _, job in new for t in job.rows])
            _drop_stale(connection, identity, [job for _, job in new])

    def evidence(self, repository_id: RepositoryId, window: NightWindow) -> tuple[RunEvidence, ...]:
        """The stored attempts of the window's nights, oldest night first, attempts in order.

        A log's `path` is where it was on disk when it was read; `cited` has the lines that count.
        """
        with self._database.read() as connection:
            nights = night_ids(connection, repository_id, window)
            return load_runs(connection, repository_id, nights)

    def night_workflows(self, repository_id: RepositoryId) -> frozenset[str]:
        """The repository's own workflow files whose runs were nights that told something."""
        own = (runs.c.repository_id == repository_id, runs.c.measures == "", runs.c.trusted.is_(True))
        with self._database.read() as connection:
            found = connection.execute(sa.select(runs.c.workflow).where(*own, _tells()).distinct()).scalars()
            return frozenset(workflow.partition("@")[0] for workflow in found)

    def newest(self) -> datetime | None:
        """When the newest trusted run of any repository was created, None without one."""
        with self._database.read() as connection:
            newest: datetime | None = connection.execute(
                sa.select(sa.func.max(runs.c.created_at)).where(runs.c.trusted.is_(True))
            ).scalar()
            return newest

    def find(self, repository_id: RepositoryId, run_id: RunId) -> tuple[RunEvidence, ...]:
        """Every stored attempt of one run, in order."""
        with self._database.read() as connection:
            return load_runs(connection, repository_id, [run_id])

    def cite(self, repository_id: RepositoryId, run: Run, lines: Mapping[JobId, Mapping[int, str]]) -> None:
        """Keep the log lines that an attempt's rows cite, by job and 1-based line, for when the logs are gone."""
        with self._database.write() as connection:
            for job_id, cited in lines.items():
                this = _attempt(jobs, repository_id, run) & (jobs.c.job_id == job_id)
                connection.execute(sa.update(jobs).where(this).values(cited_lines=dict(cited)))

    def cited(self, repository_id: RepositoryId, run: Run) -> Mapping[JobId, Mapping[int, str]]:
        """The kept log lines of an attempt, by job; jobs without any are left out."""
        this = _attempt(jobs, repository_id, run) & jobs.c.cited_lines.is_not(None)
        with self._database.read() as connection:
            rows = connection.execute(sa.select(jobs.c.job_id, jobs.c.cited_lines).where(this))
            return {JobId(job_id): lines for job_id, lines in rows}


def _attempt(table: sa.Table, repository_id: RepositoryId, run: Run) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.repository_id == repository_id, table.c.run_id == run.run_id, table.c.attempt == run.attempt)


def _same(table: sa.Table, identity: Row) -> sa.ColumnElement[bool]:
    return sa.and_(*(table.c[name] == value for name, value in identity.items()))


def _better_stored(connection: Connection, identity: Row, evidence: Sequence[JobEvidence]) -> frozenset[JobId]:
    """Jobs whose log was present once and is not in the new evidence."""
    lost = {job.log.job.job_id for job in evidence if job.log.state is not LogState.PRESENT}
    if not lost:
        return frozenset()
    present = _same(jobs, identity) & (jobs.c.log_state == LogState.PRESENT.value)
    return frozenset(connection.execute(sa.select(jobs.c.job_id).where(present)).scalars()) & lost


def _set_partial(connection: Connection, identity: Row, evidence: RunEvidence, kept: frozenset[JobId]) -> None:
    """A suite is not partial where every log that is lost by now was read before."""
    partial = evidence.partial
    lost = {job.log.job.job_id for job in evidence.jobs if job.log.state.lost}
    if kept and lost <= kept:
        before = connection.execute(sa.select(runs.c.partial).where(_same(runs, identity))).scalar_one()
        partial &= frozenset(before)
    connection.execute(sa.update(runs).where(_same(runs, identity)).values(partial=tuple(sorted(partial))))


def _drop_stale(connection: Connection, identity: Row, new: Sequence[JobEvidence]) -> None:
    """Take away timings that a later reading of the same log no longer has."""
    stored: dict[JobId, set[int]] = defaultdict(set)
    query = sa.select(timings.c.job_id, timings.c.plan_index).where(_same(timings, identity))
    for job_id, plan_index in connection.execute(query):
        stored[job_id].add(plan_index)
    for job in new:
        for plan_index in stored[job.log.job.job_id] - {timing.plan_index for timing in job.rows}:
            one = {**identity, "job_id": job.log.job.job_id, "plan_index": plan_index}
            connection.execute(sa.delete(timings).where(_same(timings, one)))


def night_ids(connection: Connection, repository_id: RepositoryId, window: NightWindow) -> list[RunId]:
    """Run ids of the window, newest first. One without a creation time is oldest of all, and in no bounds."""
    night_at: sa.ColumnElement[datetime] = sa.func.min(runs.c.created_at)
    query = sa.select(runs.c.run_id).where(runs.c.repository_id == repository_id, runs.c.trusted.is_(True), _tells())
    if window.since is not None:
        query = query.where(runs.c.created_at >= window.since)
    if window.until is not None:
        query = query.where(runs.c.created_at <= window.until)
    if window.workflows:
        query = query.where(runs.c.workflow.in_(window.workflows))
    newest_first = query.group_by(runs.c.run_id).order_by(night_at.desc().nulls_last(), runs.c.run_id.desc())
    return list(connection.execute(newest_first.limit(window.nights)).scalars())


def _tells() -> sa.ColumnElement[bool]:
    """True for an attempt that scheduled files, or may have: what any other workflow runs by schedule is no night."""
    plans = _of_attempt(jobs) & jobs.c.plan.is_not(None)
    lost = runs.c.partial != sa.literal((), runs.c.partial.type)
    return sa.or_(sa.exists().where(_of_attempt(timings)), sa.exists().where(plans), lost)


def _of_attempt(table: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(*(table.c[name] == runs.c[name] for name in ("repository_id", "run_id", "attempt")))


def load_runs(connection: Connection, repository_id: RepositoryId, run_ids: Sequence[RunId]) -> tuple[RunEvidence, ...]:
    """Every stored attempt of some runs, oldest run first, inside the caller's transaction."""
    return tuple(
        RunEvidence(run, _jobs(connection, repository_id, run), frozenset(partial))
        for run, partial in attempts(connection, repository_id, run_ids)
    )


def attempts(
    connection: Connection, repository_id: RepositoryId, run_ids: Sequence[RunId]
) -> tuple[tuple[Run, tuple[Suite, ...]], ...]:
    """Every stored attempt of some runs with its partial suites, without its evidence; oldest run first."""
    query = (
        sa.select(runs, repositories.c.full_name)
        .outerjoin(repositories, repositories.c.repository_id == runs.c.repository_id)
        .where(runs.c.repository_id == repository_id, runs.c.run_id.in_(run_ids))
        .order_by(runs.c.created_at.asc().nulls_first(), runs.c.run_id, runs.c.attempt)
    )
    found = connection.execute(query).mappings().all()
    return tuple((run_value(row, row["full_name"]), row["partial"]) for row in found)


def _jobs(connection: Connection, repository_id: RepositoryId, run: Run) -> tuple[JobEvidence, ...]:
    by_job: dict[int, list[ScheduledFile]] = defaultdict(list)
    in_plan_order = sa.select(timings).where(_attempt(timings, repository_id, run)).order_by(timings.c.plan_index)
    for row in connection.execute(in_plan_order).mappings():
        by_job[row["job_id"]].append(timing_value(row))
    query = sa.select(jobs).where(_attempt(jobs, repository_id, run)).order_by(jobs.c.position, jobs.c.job_id)
    return tuple(job_value(row, by_job[row["job_id"]]) for row in connection.execute(query).mappings())
