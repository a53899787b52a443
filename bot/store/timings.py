"""The history of one registration key, and facts about timings that come after they were read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sqlalchemy as sa

from bot.domain import BlobSha, CommitSha, RegistrationKey, RepositoryId, TestPath
from bot.records.measurements import KnownTiming
from bot.store.database import Database, chunks
from bot.store.rows import key_id, timing_value
from bot.store.schema.evidence import timings

NEWEST_FIRST = (
    timings.c.night_at.desc().nulls_last(),
    timings.c.run_id.desc(),
    timings.c.attempt.desc(),
    timings.c.job_id,
    timings.c.plan_index,
)


class Timings:
    """Every timing from the first run on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_key(self, repository_id: RepositoryId, key: RegistrationKey, limit: int) -> tuple[KnownTiming, ...]:
        """The newest `limit` timings of a key, newest night first; carried-over ones are included and marked."""
        query = (
            sa.select(timings)
            .where(timings.c.repository_id == repository_id, timings.c.key_id == key_id(key))
            .order_by(*NEWEST_FIRST)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple(
                KnownTiming(timing_value(row), row["night_at"], row["carried_over"], row["blob_at_head"])
                for row in connection.execute(query).mappings()
            )

    def blobs(
        self, repository_id: RepositoryId, paths: Collection[TestPath]
    ) -> Mapping[tuple[TestPath, CommitSha], BlobSha]:
        """Which blob each of these test files was at the heads it was measured at; unknown ones are left out."""
        found: dict[tuple[TestPath, CommitSha], BlobSha] = {}
        columns = (timings.c.path, timings.c.head_sha, timings.c.blob_at_head)
        with self._database.read() as connection:
            for some in chunks(set(paths)):
                query = (
                    sa.select(*columns)
                    .distinct()
                    .where(
                        timings.c.repository_id == repository_id,
                        timings.c.path.in_(some),
                        timings.c.blob_at_head.is_not(None),
                    )
                )
                found.update(((path, head), blob) for path, head, blob in connection.execute(query))
        return found

    def note_blobs(self, repository_id: RepositoryId, head_sha: CommitSha, blobs: Mapping[TestPath, BlobSha]) -> None:
        """Note which blob each test file was at a head commit, on all timings of that head.

        What is noted already is not written again; each row is found by its key, for by path every row of
        the head would be looked through once a file.
        """
        here = (timings.c.repository_id == repository_id) & (timings.c.head_sha == head_sha)
        names = [column.name for column in timings.primary_key]
        query = sa.select(*timings.primary_key, timings.c.path, timings.c.blob_at_head).where(here)
        with self._database.read() as connection:
            rows = connection.execute(query).mappings()
            stale = [
                {"blob": blobs[row["path"]], **{f"of_{name}": row[name] for name in names}}
                for row in rows
                if blobs.get(row["path"], row["blob_at_head"]) != row["blob_at_head"]
            ]
        if stale:
            same = sa.and_(*(timings.c[name] == sa.bindparam(f"of_{name}") for name in names))
            with self._database.write() as connection:
                connection.execute(sa.update(timings).where(same).values(blob_at_head=sa.bindparam("blob")), stale)
