"""One key's rows as a page shows them: some nights at a time, each row with the newest verdict on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.domain import Identity, Job, JobId, PolicyStamp, RegistrationKey, RejectionReason, RepositoryId, Run, RunId
from bot.overview import JudgedTiming, KeptLog, KeyPage, LastDecision, Listed, Span, Verdict
from bot.records.measurements import KnownTiming
from bot.store.database import Database
from bot.store.rows import Stored, job_value, key_id, timing_value
from bot.store.runs import attempts
from bot.store.schema.evaluations import decisions, evaluations, rejections, samples
from bot.store.schema.evidence import jobs, timings
from bot.store.standings import HEAD_COLUMNS, head_value
from bot.store.timings import NEWEST_FIRST

MOST_ROWS = 600  # of one page

Place = tuple[int, int, int, int]  # run id, attempt, job id, plan index
_PLACE = ("run_id", "attempt", "job_id", "plan_index")


class Judged:
    """Rows, their verdicts and their kept log lines."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_key(self, repository_id: RepositoryId, key: RegistrationKey, nights: Span) -> KeyPage:
        """The rows of some nights of a key, newest night first, at most `MOST_ROWS`."""
        mine = sa.and_(timings.c.repository_id == repository_id, timings.c.key_id == key_id(key))
        with self._database.read() as connection:
            asked = Listed.of(_nights(connection, mine, nights), nights)
            here = sa.and_(mine, timings.c.run_id.in_(asked.items))
            rows = _rows(connection, here)
            run_of = _runs(connection, repository_id, asked.items)
            verdicts, policies = _verdicts(connection, here)
            deciding = _deciding(connection, repository_id, key)
        shown = tuple(
            JudgedTiming(
                timing=_known(row),
                run=run_of[row["run_id"], row["attempt"]],
                verdict=verdicts.get(_place(row)),
                decides=_place(row) in deciding,
                lines_kept=row["lines_kept"],
                policy=policies.get(_place(row)),
            )
            for row in rows[:MOST_ROWS]
        )
        return KeyPage(shown, asked.more, len(rows) > MOST_ROWS)

    def last_decision(self, repository_id: RepositoryId, key: RegistrationKey) -> LastDecision | None:
        """The last decision about a key, None where no evaluation had it."""
        with self._database.read() as connection:
            row = _last(connection, repository_id, key)
            return LastDecision(head_value(row), row["decision"]) if row else None

    def kept_log(self, repository_id: RepositoryId, run_id: RunId, attempt: int, job_id: JobId) -> KeptLog | None:
        """The kept lines of one job's log, None where the job is not known."""
        this = (jobs.c.repository_id == repository_id, jobs.c.run_id == run_id)
        query = sa.select(jobs).where(*this, jobs.c.attempt == attempt, jobs.c.job_id == job_id)
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
            run = _runs(connection, repository_id, [run_id]).get((run_id, attempt))
        if row is None or run is None:
            return None
        job: Job = job_value(row, ()).log.job
        return KeptLog(run, job, dict(sorted((row["cited_lines"] or {}).items())))


def _nights(connection: Connection, mine: sa.ColumnElement[bool], nights: Span) -> tuple[RunId, ...]:
    query = (
        sa.select(timings.c.night_at, timings.c.run_id)
        .distinct()
        .where(mine)
        .order_by(timings.c.night_at.desc().nulls_last(), timings.c.run_id.desc())
        .limit(nights.limit + 1)
        .offset(nights.offset)
    )
    return tuple(run_id for _, run_id in connection.execute(query))


def _rows(connection: Connection, here: sa.ColumnElement[bool]) -> Sequence[Stored]:
    """The timings, newest night first, one more than may be shown; with whether their log's lines are kept."""
    job = sa.and_(*(timings.c[name] == jobs.c[name] for name in ("repository_id", "run_id", "attempt", "job_id")))
    query = (
        sa.select(timings, jobs.c.cited_lines.is_not(None).label("lines_kept"))
        .join(jobs, job)
        .where(here)
        .order_by(*NEWEST_FIRST)
        .limit(MOST_ROWS + 1)
    )
    return connection.execute(query).mappings().all()


def _known(row: Stored) -> KnownTiming:
    return KnownTiming(timing_value(row), row["night_at"], row["carried_over"], row["blob_at_head"])


def _place(row: Stored) -> Place:
    return (row["run_id"], row["attempt"], row["job_id"], row["plan_index"])


def _runs(connection: Connection, repository_id: RepositoryId, ids: Sequence[RunId]) -> Mapping[tuple[RunId, int], Run]:
    return {(run.run_id, run.attempt): run for run, _ in attempts(connection, repository_id, ids)}


def _verdicts(
    connection: Connection, here: sa.ColumnElement[bool]
) -> tuple[Mapping[Place, Verdict], Mapping[Place, PolicyStamp]]:
    """What the newest evaluation that looked at each row made of it; the policy of the first one that did."""
    accepted = _about(samples, here, samples.c.identity)
    refused = _about(rejections, here, rejections.c.identity, rejections.c.reason, rejections.c.detail)
    found = [row for query in (refused, accepted) for row in connection.execute(query).mappings()]
    found.sort(key=lambda row: row["evaluated_at"])
    newest = {_place(row): _verdict(row) for row in found}
    return newest, {_place(row): row["policy"] for row in reversed(found)}


def _about(table: sa.Table, here: sa.ColumnElement[bool], *columns: sa.ColumnElement[object]) -> sa.Select[object]:
    """What evaluations say of the rows, oldest first.

    The rows are found before anything is joined to them: left to itself SQLite begins with everything that was
    judged of these runs.
    """
    place = ("repository_id", *_PLACE)
    newest = sa.select(*(timings.c[name] for name in place)).where(here).order_by(*NEWEST_FIRST)
    these = newest.limit(MOST_ROWS + 1).subquery()
    return (
        sa.select(*(table.c[name] for name in _PLACE), evaluations.c.evaluated_at, evaluations.c.policy, *columns)
        .select_from(these)
        .join(table, sa.and_(*(table.c[name] == these.c[name] for name in place)))
        .join(evaluations, evaluations.c.evaluation_id == table.c.evaluation_id)
        .order_by(evaluations.c.evaluated_at, table.c.evaluation_id, table.c.position)
    )


def _verdict(row: Stored) -> Verdict:
    identity = Identity(row["identity"]) if row["identity"] else None
    if "reason" not in row:
        return Verdict(identity=identity)
    return Verdict(RejectionReason(row["reason"]), row["detail"], identity)


def _last(connection: Connection, repository_id: RepositoryId, key: RegistrationKey) -> Stored | None:
    """The last decision about a key, with its evaluation's head."""
    query = (
        sa.select(decisions.c.decision, decisions.c.sample_positions, *HEAD_COLUMNS)
        .join(evaluations, evaluations.c.evaluation_id == decisions.c.evaluation_id)
        .where(decisions.c.repository_id == repository_id, decisions.c.key_id == key_id(key))
        .order_by(evaluations.c.evaluated_at.desc(), decisions.c.evaluation_id, decisions.c.position)
        .limit(1)
    )
    return connection.execute(query).mappings().first()


def _deciding(connection: Connection, repository_id: RepositoryId, key: RegistrationKey) -> frozenset[Place]:
    """The rows that the last decision about the key rests on."""
    last = _last(connection, repository_id, key)
    if last is None:
        return frozenset()
    cited = sa.select(*(samples.c[name] for name in _PLACE)).where(
        samples.c.evaluation_id == last["evaluation_id"], samples.c.position.in_(last["sample_positions"][:MOST_ROWS])
    )
    return frozenset((r[0], r[1], r[2], r[3]) for r in connection.execute(cited))
