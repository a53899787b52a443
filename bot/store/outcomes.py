"""How each task ended, by name."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from bot.domain import RepositoryId, TaskKind
from bot.records.work import TaskOutcome
from bot.store.database import Database, upsert
from bot.store.schema.effects import outcomes


class Outcomes:
    """One row a task; a task that ends a second time says how it ended last."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, outcome: TaskOutcome) -> None:
        """Keep an outcome."""
        with self._database.write() as connection:
            upsert(connection, outcomes, [{**asdict(outcome), "kind": outcome.kind.value}])

    def find(self, task_id: str) -> TaskOutcome | None:
        """The outcome of a task, None while it has none."""
        return next(iter(self._read(1, outcomes.c.task_id == task_id)), None)

    def forget_before(self, moment: datetime) -> int:
        """Delete what ended before a moment, but for nightlies, which stay with their history; how many that were."""
        old = (outcomes.c.ended_at < moment) & (outcomes.c.kind != TaskKind.NIGHTLY.value)
        with self._database.write() as connection:
            return int(connection.execute(sa.delete(outcomes).where(old)).rowcount)

    def newest(self, limit: int, repository_id: RepositoryId | None = None, skip: int = 0) -> tuple[TaskOutcome, ...]:
        """The last outcomes before the `skip` newest ones, newest first: of one repository, or of all."""
        where = () if repository_id is None else (outcomes.c.repository_id == repository_id,)
        return self._read(limit, *where, skip=skip)

    def last(self, repository_id: RepositoryId, kind: TaskKind) -> TaskOutcome | None:
        """How the last task of a kind ended in a repository, None where none has."""
        found = self._read(1, outcomes.c.repository_id == repository_id, outcomes.c.kind == kind.value)
        return next(iter(found), None)

    def _read(self, limit: int, *conditions: sa.ColumnElement[bool], skip: int = 0) -> tuple[TaskOutcome, ...]:
        order = (outcomes.c.ended_at.desc(), outcomes.c.task_id)
        with self._database.read() as connection:
            query = sa.select(outcomes).where(*conditions).order_by(*order).limit(limit).offset(skip)
            rows = connection.execute(query).mappings()
            return tuple(outcome_value(row) for row in rows)


def outcome_value(row: sa.RowMapping) -> TaskOutcome:
    """The outcome of a row."""
    return TaskOutcome(**{**row, "kind": TaskKind(row["kind"])})
