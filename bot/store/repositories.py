"""Installations, repositories and what we remember of each. Keyed by GitHub's ids, so renames follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.domain import NightlyFilter, RepositoryId
from bot.records.repositories import ConfigSnapshot, Installation, Repository, RepositoryState
from bot.store.database import Database, upsert
from bot.store.schema import metadata
from bot.store.schema.repositories import installations, repositories, repository_states


class Installations:
    """Which accounts have the App."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def save(self, installation: Installation) -> None:
        """Remember an installation as it is now."""
        with self._database.write() as connection:
            upsert(connection, installations, [asdict(installation)])

    def find(self, installation_id: int) -> Installation | None:
        """An installation, None for one never seen or removed."""
        with self._database.read() as connection:
            query = sa.select(installations).where(installations.c.installation_id == installation_id)
            row = connection.execute(query).mappings().first()
            return Installation(**row) if row else None

    def every(self) -> tuple[Installation, ...]:
        """All installations, by id."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(installations).order_by(installations.c.installation_id)).mappings()
            return tuple(Installation(**row) for row in rows)

    def remove(self, installation_id: int) -> None:
        """Forget an installation. Its repositories keep their history and lose their access."""
        mine = repositories.c.installation_id == installation_id
        with self._database.write() as connection:
            connection.execute(sa.delete(installations).where(installations.c.installation_id == installation_id))
            connection.execute(sa.update(repositories).where(mine).values(installation_id=None, lost_at=self._now()))


class Repositories:
    """What GitHub says of each repository."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def save(self, repository: Repository) -> None:
        """Remember a repository as it is now; a new name replaces the old one."""
        at = self._now()
        covered = repository.installation_id is not None
        row = {**asdict(repository), "seen_at": at, "lost_at": None if covered else at}
        with self._database.write() as connection:
            upsert(connection, repositories, [row], keep=() if covered else ("lost_at",))

    def find(self, repository_id: RepositoryId) -> Repository | None:
        """A repository, None for one never seen."""
        return self._first(repositories.c.repository_id == repository_id)

    def named(self, full_name: str) -> Repository | None:
        """The repository seen last under a name; another one may have had it before."""
        return self._first(repositories.c.full_name == full_name)

    def every(self) -> tuple[Repository, ...]:
        """All repositories that were ever seen, by id."""
        with self._database.read() as connection:
            query = sa.select(repositories).order_by(repositories.c.repository_id)
            return tuple(_repository(row) for row in connection.execute(query).mappings())

    def of_installation(self, installation_id: int) -> tuple[Repository, ...]:
        """The repositories an installation gives access to, by id."""
        mine = repositories.c.installation_id == installation_id
        with self._database.read() as connection:
            query = sa.select(repositories).where(mine).order_by(repositories.c.repository_id)
            return tuple(_repository(row) for row in connection.execute(query).mappings())

    def lose_access(self, repository_id: RepositoryId) -> None:
        """Note that no installation gives access to it any more; its history stays."""
        with self._database.write() as connection:
            this = (repositories.c.repository_id == repository_id) & repositories.c.lost_at.is_(None)
            connection.execute(sa.update(repositories).where(this).values(installation_id=None, lost_at=self._now()))

    def lost_before(self, moment: datetime, limit: int) -> tuple[Repository, ...]:
        """Repositories that no installation has given access to since before a moment, the longest lost first."""
        query = sa.select(repositories).where(repositories.c.installation_id.is_(None), repositories.c.lost_at < moment)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(repositories.c.lost_at).limit(limit)).mappings()
            return tuple(_repository(row) for row in rows)

    def forget(self, repository_id: RepositoryId) -> None:
        """Delete everything that is known of a repository, in one transaction."""
        with self._database.write() as connection:
            for table in reversed(metadata.sorted_tables):
                if "repository_id" in table.c:
                    connection.execute(sa.delete(table).where(table.c.repository_id == repository_id))

    def covered(self) -> tuple[Repository, ...]:
        """Every repository that an installation gives access to, by id."""
        query = sa.select(repositories).where(repositories.c.installation_id.is_not(None))
        with self._database.read() as connection:
            return tuple(_repository(row) for row in connection.execute(query.order_by("repository_id")).mappings())

    def _first(self, condition: sa.ColumnElement[bool]) -> Repository | None:
        newest = (repositories.c.seen_at.desc(), repositories.c.repository_id.desc())
        with self._database.read() as connection:
            query = sa.select(repositories).where(condition).order_by(*newest).limit(1)
            row = connection.execute(query).mappings().first()
            return _repository(row) if row else None


def _repository(row: sa.RowMapping) -> Repository:
    return Repository(**{name: value for name, value in row.items() if name not in ("seen_at", "lost_at")})


class RepositoryStates:
    """What we remember of a repository beyond what GitHub says. Unknown ones have the defaults."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, repository_id: RepositoryId) -> RepositoryState:
        """The state of a repository."""
        with self._database.read() as connection:
            query = sa.select(repository_states).where(repository_states.c.repository_id == repository_id)
            row = connection.execute(query).mappings().first()
        if row is None:
            return RepositoryState()
        return RepositoryState(row["config"] or ConfigSnapshot(), row["paused"], row["first_pr_done"])

    def nightly_filter(self, repository_id: RepositoryId) -> NightlyFilter | None:
        """What routing goes by, None where nothing usable was read yet."""
        return self.find(repository_id).config.nightly

    def set_config(self, repository_id: RepositoryId, snapshot: ConfigSnapshot) -> None:
        """Remember the configuration as read now."""
        self._set(repository_id, config=snapshot)

    def set_paused(self, repository_id: RepositoryId, *, paused: bool) -> None:
        """Remember whether a person paused us."""
        self._set(repository_id, paused=paused)

    def set_first_pr_done(self, repository_id: RepositoryId) -> None:
        """Remember that the draft that introduces us exists."""
        self._set(repository_id, first_pr_done=True)

    def _set(self, repository_id: RepositoryId, **values: Any) -> None:
        row = {"repository_id": repository_id, "config": None, "paused": False, "first_pr_done": False, **values}
        others = {name for name in row if name not in values}
        with self._database.write() as connection:
            upsert(connection, repository_states, [row], keep=others)
