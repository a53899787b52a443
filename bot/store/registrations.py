"""Every registration ever seen, once for each way it was written: when a literal changed, and to what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import sqlalchemy as sa

from bot.domain import CommitSha, Registration, RegistrationKey, RepositoryId
from bot.records.measurements import SeenRegistration
from bot.store.database import Database, upsert
from bot.store.rows import key_id
from bot.store.schema.evaluations import registrations


class SeenRegistrations:
    """One row for a key, the blob it stood in and its call; with the first and the last commit."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def see(self, repository_id: RepositoryId, commit: CommitSha, found: Sequence[Registration]) -> None:
        """Note the registrations of a commit; those seen before only move their last commit."""
        at = self._now()
        rows = [
            {
                "repository_id": repository_id,
                "key_id": key_id(registration.key),
                "blob": registration.blob,
                "call_index": registration.index,
                "est_time": registration.est_time,
                "registration": registration,
                "first_commit": commit,
                "first_seen_at": at,
                "last_commit": commit,
                "last_seen_at": at,
            }
            for registration in found
        ]
        with self._database.write() as connection:
            upsert(connection, registrations, rows, keep=("first_commit", "first_seen_at"))

    def history(self, repository_id: RepositoryId, key: RegistrationKey) -> tuple[SeenRegistration, ...]:
        """How a key was written over time, oldest first."""
        this = (registrations.c.repository_id == repository_id) & (registrations.c.key_id == key_id(key))
        order = (registrations.c.first_seen_at, registrations.c.blob, registrations.c.call_index)
        return self._read(sa.select(registrations).where(this).order_by(*order))

    def standing(self, repository_id: RepositoryId) -> int:
        """How many registrations there were at the newest commit that was noted."""
        mine = registrations.c.repository_id == repository_id
        newest = sa.select(registrations.c.last_commit).where(mine).order_by(registrations.c.last_seen_at.desc())
        here = registrations.c.last_commit == newest.limit(1).scalar_subquery()
        with self._database.read() as connection:
            query = sa.select(sa.func.count()).select_from(registrations).where(mine, here)
            return int(connection.execute(query).scalar_one())

    def _read(self, query: sa.Select[tuple[object, ...]]) -> tuple[SeenRegistration, ...]:
        names = ("registration", "first_commit", "first_seen_at", "last_commit", "last_seen_at")
        with self._database.read() as connection:
            rows = connection.execute(query).mappings()
            return tuple(SeenRegistration(**{name: row[name] for name in names}) for row in rows)
