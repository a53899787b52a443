"""What was fetched and parsed before, by blob SHA: a warm run fetches and parses nothing.

A blob never changes, so nothing here goes stale; what is missing is simply fetched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.domain import BlobSha, RepositoryId, SourceRegistrations, TestPath
from bot.store.database import Database, chunks, upsert
from bot.store.rows import digest
from bot.store.schema.caches import blob_bytes, parsed_blobs

MAX_BLOB_BYTES = 1024 * 1024
MAX_REPOSITORY_BYTES = 128 * 1024 * 1024


class RegistrationCache:
    """Parsed registrations of files. `dialect` names the reader and its version; a new one starts afresh."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, repository_id: RepositoryId, dialect: str, sources: Iterable[SourceRegistrations]) -> None:
        """Keep what was parsed, files without calls included."""
        rows = [
            {
                "repository_id": repository_id,
                "blob": source.blob,
                "path_id": digest(source.path),
                "dialect": dialect,
                "source": source,
            }
            for source in sources
        ]
        with self._database.write() as connection:
            upsert(connection, parsed_blobs, rows)

    def find(
        self, repository_id: RepositoryId, dialect: str, files: Mapping[TestPath, BlobSha]
    ) -> Mapping[TestPath, SourceRegistrations]:
        """What is known of files at their blobs; unknown ones are left out."""
        found: dict[TestPath, SourceRegistrations] = {}
        with self._database.read() as connection:
            for some in chunks(set(files.values())):
                query = sa.select(parsed_blobs.c.source).where(
                    parsed_blobs.c.repository_id == repository_id,
                    parsed_blobs.c.dialect == dialect,
                    parsed_blobs.c.blob.in_(some),
                )
                for source in connection.execute(query).scalars():
                    if files.get(source.path) == source.blob:
                        found[source.path] = source
        return found


class BlobCache:
    """The bytes of files that carry calls: at most `MAX_BLOB_BYTES` each and `MAX_REPOSITORY_BYTES` together."""

    def __init__(
        self, database: Database, now: Callable[[], datetime], max_repository_bytes: int = MAX_REPOSITORY_BYTES
    ) -> None:
        self._database = database
        self._now = now
        self._max_repository_bytes = max_repository_bytes

    def keep(self, repository_id: RepositoryId, contents: Mapping[BlobSha, bytes]) -> None:
        """Keep blobs; larger ones are passed over, and the longest kept give way."""
        at = self._now()
        rows = [
            {"repository_id": repository_id, "blob": blob, "size": len(content), "content": content, "kept_at": at}
            for blob, content in contents.items()
            if len(content) <= MAX_BLOB_BYTES
        ]
        with self._database.write() as connection:
            upsert(connection, blob_bytes, rows)
            _make_room(connection, repository_id, self._max_repository_bytes)

    def find(self, repository_id: RepositoryId, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes of the blobs that are kept; the others are left out."""
        found: dict[BlobSha, bytes] = {}
        with self._database.read() as connection:
            for some in chunks(set(blobs)):
                query = sa.select(blob_bytes.c.blob, blob_bytes.c.content).where(
                    blob_bytes.c.repository_id == repository_id, blob_bytes.c.blob.in_(some)
                )
                found.update((blob, bytes(content)) for blob, content in connection.execute(query))
        return found


def _make_room(connection: Connection, repository_id: RepositoryId, limit: int) -> None:
    mine = blob_bytes.c.repository_id == repository_id
    total = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(blob_bytes.c.size), 0)).where(mine)).scalar_one()
    if total <= limit:
        return
    leaving: list[str] = []
    oldest_first = sa.select(blob_bytes.c.blob, blob_bytes.c.size).where(mine)
    for blob, size in connection.execute(oldest_first.order_by(blob_bytes.c.kept_at, blob_bytes.c.blob)):
        if total <= limit:
            break
        leaving.append(blob)
        total -= size
    for some in chunks(leaving):
        connection.execute(sa.delete(blob_bytes).where(mine, blob_bytes.c.blob.in_(some)))
