"""Issues of the App's own, by key: said once, withdrawn when healed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from bot.domain import RepositoryId
from bot.records.publications import Notice
from bot.store.database import Database, upsert
from bot.store.schema.effects import notices


class Notices:
    """One row for a repository and a key: the last issue about that trouble."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, notice: Notice) -> None:
        """Remember a notice as it stands now."""
        with self._database.write() as connection:
            upsert(connection, notices, [asdict(notice)])

    def find(self, repository_id: RepositoryId, key: str) -> Notice | None:
        """The last notice about a trouble, open or withdrawn."""
        return next(iter(self._read(notices.c.repository_id == repository_id, notices.c.key == key)), None)

    def open(self, repository_id: RepositoryId) -> tuple[Notice, ...]:
        """The notices that stand, by key."""
        return self._read(notices.c.repository_id == repository_id, notices.c.closed_at.is_(None))

    def withdraw(self, repository_id: RepositoryId, key: str, at: datetime) -> None:
        """Note that a notice was withdrawn; one withdrawn before keeps its time."""
        this = (notices.c.repository_id == repository_id) & (notices.c.key == key) & notices.c.closed_at.is_(None)
        with self._database.write() as connection:
            connection.execute(sa.update(notices).where(this).values(closed_at=at))

    def _read(self, *conditions: sa.ColumnElement[bool]) -> tuple[Notice, ...]:
        with self._database.read() as connection:
            rows = connection.execute(sa.select(notices).where(*conditions)).mappings()
            return tuple(sorted((Notice(**row) for row in rows), key=lambda notice: notice.key))
