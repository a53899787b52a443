"""Processes of the service that share one queue: one row each, whose number says that it is alive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from bot.records.work import Host, ProcessRole
from bot.store.database import Database, upsert
from bot.store.schema.effects import hosts


class Hosts:
    """One row a process, by its executor id."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def beat(self, host: Host) -> None:
        """Raise a process's number; a new or restarted one is noted as it is now."""
        this = hosts.c.executor_id == host.executor_id
        with self._database.write() as connection:
            before = connection.execute(sa.select(hosts.c.beats).where(this)).scalar()
            row = {**asdict(host), "role": host.role.value, "beats": (before or 0) + 1, "beat_at": self._now()}
            upsert(connection, hosts, [row])

    def every(self) -> tuple[Host, ...]:
        """All processes that are noted, by id."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(hosts).order_by(hosts.c.executor_id)).mappings()
            return tuple(Host(**{**row, "role": ProcessRole(row["role"])}) for row in rows)

    def forget(self, executor_id: str, beats: int) -> None:
        """Take a process away whose number has not risen since."""
        this = (hosts.c.executor_id == executor_id) & (hosts.c.beats == beats)
        with self._database.write() as connection:
            connection.execute(sa.delete(hosts).where(this))
