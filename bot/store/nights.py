"""Nights as a page shows them: counted in the database, a bounded number at a time.

Evidence as values is `bot.store.runs`' part; a page needs counts of it, which are cheaper.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.domain import RegistrationKey, RepositoryId, Run, RunId, Status, Suite, TimeoutRule
from bot.overview import Held, KeyOverview, Listed, NightOverview, Span
from bot.records.measurements import NightWindow
from bot.records.work import TaskOutcome
from bot.store.column_types import escape
from bot.store.database import Database, chunks
from bot.store.outcomes import outcome_value
from bot.store.rows import Stored
from bot.store.runs import attempts, night_ids
from bot.store.schema.effects import outcomes
from bot.store.schema.evaluations import evaluations
from bot.store.schema.evidence import timings

_OF_A_NIGHT = re.compile(r"nightly:[0-9]{1,19}:([0-9]{1,19}):([0-9]{1,9}):")  # an evaluation's name, by its task
_MOST_EVALUATIONS = 1000  # whose names are looked at
_MOST_LITERAL = 1e15  # more seconds than anything takes

Rules = Callable[[Suite], TimeoutRule]


class Nights:
    """The newest nights of a repository."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self, repository_id: RepositoryId, rules: Rules, span: Span) -> Listed[NightOverview]:
        """Nights newest first. `rules` gives the effective timeout of a suite."""
        window = NightWindow(nights=span.offset + span.limit + 1)
        with self._database.read() as connection:
            asked = tuple(night_ids(connection, repository_id, window)[span.offset :])
            found = Listed.of(asked, span)
            tried = _attempts(connection, repository_id, found.items)
            counted = _counted(connection, repository_id, found.items, rules)
            ended = _ended(connection, repository_id, found.items)
            evaluated = _evaluated(connection, repository_id)
        nights = (
            replace(_night(tried[run_id], counted[run_id]), outcome=ended.get(run_id), evaluated=evaluated.get(run_id))
            for run_id in found.items
        )
        return Listed(tuple(nights), found.more)

    def tests(self, repository_id: RepositoryId, nights: int, find: str, span: Span) -> Listed[KeyOverview]:
        """What the newest nights scheduled, by path; `find` is a part of the path or of the suite, "": all."""
        where = [timings.c.repository_id == repository_id, timings.c.carried_over.is_(False)]
        if find:
            columns = (sa.func.lower(timings.c.path), sa.func.lower(timings.c.suite))
            part = escape(find.lower())  # as it is stored; `lower` of a column does not know that
            where.append(sa.or_(*(column.contains(part, autoescape=True) for column in columns)))
        key = (timings.c.path, timings.c.backend, timings.c.suite)
        is_pass = timings.c.status == Status.PASSED.value
        with self._database.read() as connection:
            ids = night_ids(connection, repository_id, NightWindow(nights=nights))
            query = (
                sa.select(
                    *key,
                    sa.func.max(timings.c.logged_est_s).label("literal"),
                    _how_many(is_pass).label("passes"),
                    _how_many(timings.c.status == Status.TIMEOUT.value).label("timeouts"),
                    sa.func.max(sa.case((is_pass, timings.c.elapsed_s))).label("slowest_s"),
                )
                .where(*where, timings.c.run_id.in_(ids))
                .group_by(*key)
                .order_by(*key)
                .limit(span.limit + 1)
                .offset(span.offset)
            )
            found = tuple(_test(row) for row in connection.execute(query).mappings())
        return Listed.of(found, span)


@dataclass(slots=True)
class _Counted:
    statuses: Counter[Status] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)


def _test(row: Stored) -> KeyOverview:
    return KeyOverview(
        key=RegistrationKey(row["path"], row["backend"], row["suite"]),
        literal=row["literal"],
        passes=int(row["passes"]),
        timeouts=int(row["timeouts"]),
        slowest_s=row["slowest_s"],
    )


def _attempts(
    connection: Connection, repository_id: RepositoryId, ids: Iterable[RunId]
) -> Mapping[RunId, list[tuple[Run, tuple[Suite, ...]]]]:
    """The attempts of each run with their partial suites, in order."""
    found: dict[RunId, list[tuple[Run, tuple[Suite, ...]]]] = defaultdict(list)
    for some in chunks(ids):
        for run, partial in attempts(connection, repository_id, some):
            found[run.run_id].append((run, partial))
    return found


def _counted(
    connection: Connection, repository_id: RepositoryId, ids: Sequence[RunId], rules: Rules
) -> Mapping[RunId, _Counted]:
    """Scheduled files by status, and how passes stood to their literals; suites of one rule at a time."""
    found: dict[RunId, _Counted] = defaultdict(_Counted)
    mine = (timings.c.repository_id == repository_id, timings.c.carried_over.is_(False))
    for some in chunks(ids):
        here = (*mine, timings.c.run_id.in_(some))
        suites = connection.execute(sa.select(timings.c.suite).distinct().where(*here)).scalars()
        for rule, named in _by_rule(suites, rules).items():
            for part in chunks(named):
                _count(connection, sa.and_(*here, timings.c.suite.in_(part)), rule, found)
    return found


def _by_rule(suites: Iterable[Suite], rules: Rules) -> Mapping[TimeoutRule, list[Suite]]:
    found: dict[TimeoutRule, list[Suite]] = defaultdict(list)
    for suite in suites:
        found[rules(suite)].append(suite)
    return found


def _count(
    connection: Connection, where: sa.ColumnElement[bool], rule: TimeoutRule, found: Mapping[RunId, _Counted]
) -> None:
    told = timings.c.doubt.is_(None)
    is_pass = sa.and_(timings.c.status == Status.PASSED.value, timings.c.elapsed_s.is_not(None), told)
    seconds, literal = timings.c.elapsed_s, timings.c.logged_est_s
    # elapsed < int(literal * factor) in whole seconds, without a rounding that databases do differently, and with a
    # literal that cannot overflow: Postgres refuses what SQLite calls infinite
    bounded = sa.case((literal > _MOST_LITERAL, _MOST_LITERAL), (literal < 0, 0.0), else_=literal)
    below = sa.or_(seconds < rule.floor_s, seconds + 1 <= bounded * rule.factor)
    query = (
        sa.select(
            timings.c.run_id,
            timings.c.status,
            sa.func.count(),
            _how_many(is_pass),
            _how_many(sa.and_(is_pass, seconds <= literal)),
            _how_many(sa.and_(is_pass, below)),
        )
        .where(where)
        .group_by(timings.c.run_id, timings.c.status)
    )
    for run_id, status, count, passed, within_literal, within_limit in connection.execute(query):
        one = found[RunId(run_id)]
        one.statuses[Status(status)] += count
        timed_out = count if status == Status.TIMEOUT.value else 0
        one.held.update(
            {"passed": passed, "timed_out": timed_out, "within_literal": within_literal, "within_limit": within_limit}
        )


def _how_many(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((condition, 1), else_=0))


def _ended(connection: Connection, repository_id: RepositoryId, ids: Iterable[RunId]) -> Mapping[RunId, TaskOutcome]:
    """How the last task about each run ended."""
    found: dict[RunId, TaskOutcome] = {}
    for some in chunks(ids):
        query = (
            sa.select(outcomes)
            .where(outcomes.c.repository_id == repository_id, outcomes.c.run_id.in_(some))
            .order_by(outcomes.c.ended_at, outcomes.c.task_id)
        )
        found.update((row["run_id"], outcome_value(row)) for row in connection.execute(query).mappings())
    return found


def _evaluated(connection: Connection, repository_id: RepositoryId) -> Mapping[RunId, int]:
    """The newest attempt of each run that its own task evaluated; what was evaluated long ago is left out."""
    query = (
        sa.select(evaluations.c.evaluation_id)
        .where(evaluations.c.repository_id == repository_id)
        .order_by(evaluations.c.evaluated_at.desc(), evaluations.c.evaluation_id)
        .limit(_MOST_EVALUATIONS)
    )
    found: dict[RunId, int] = {}
    for match in filter(None, map(_OF_A_NIGHT.match, connection.execute(query).scalars())):
        run_id, attempt = RunId(int(match[1])), int(match[2])
        found[run_id] = max(attempt, found.get(run_id, 0))
    return found


def _night(tried: Sequence[tuple[Run, tuple[Suite, ...]]], counted: _Counted) -> NightOverview:
    return NightOverview(
        run=tried[-1][0],
        attempts=len(tried),
        statuses=dict(counted.statuses),
        held=Held(**{name: int(count) for name, count in counted.held.items()}),
        partial=tuple(sorted({suite for _, partial in tried for suite in partial})),
    )
