"""Tasks that still owe a step, with their next take and when it is due. What a take is, `bot.tasks.parking` knows."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from bot.records.work import Parked
from bot.store.database import Database, upsert
from bot.store.schema.effects import parked


class ParkedTasks:
    """One row a piece of work that has not ended for good."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def park(self, task: Parked) -> None:
        """Keep it as it is now."""
        with self._database.write() as connection:
            upsert(connection, parked, [{**asdict(task), "request": task.request}])

    def find(self, key: str) -> Parked | None:
        """A parked task by the key of its work."""
        return next(iter(self._read(1, parked.c.key == key)), None)

    def every(self, limit: int) -> tuple[Parked, ...]:
        """Those that are parked, the next ones due first, those that are on their way last."""
        return self._read(limit)

    def due(self, now: datetime, limit: int) -> tuple[Parked, ...]:
        """Those whose time has come, the longest due first."""
        return self._read(limit, parked.c.due_at <= now)

    def taken_up(self, task: Parked) -> None:
        """Note that its next take was asked for, so that it is due no more."""
        this = (parked.c.key == task.key) & (parked.c.due_at == task.due_at)
        with self._database.write() as connection:
            connection.execute(sa.update(parked).where(this).values(due_at=None))

    def ended(self, key: str) -> None:
        """It owes nothing any more, or is given up."""
        with self._database.write() as connection:
            connection.execute(sa.delete(parked).where(parked.c.key == key))

    def _read(self, limit: int, *conditions: sa.ColumnElement[bool]) -> tuple[Parked, ...]:
        query = sa.select(parked).where(*conditions).order_by(parked.c.due_at.nulls_last(), parked.c.key).limit(limit)
        with self._database.read() as connection:
            return tuple(Parked(**row) for row in connection.execute(query).mappings())
