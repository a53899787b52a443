"""Reads files of a repository as bytes and as registrations, each blob at most once as long as it is remembered.

Files are never run. Which of them an evaluation needs is `bot.tasks.gather`'s part.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

from bot.domain import BlobSha, CommitNote, CommitSha, SourceRegistrations, TestPath
from bot.edit.ports import SourceTree, TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.tree_reader import read_all, read_one, unread

READER_VERSION = "calls/2"  # part of the cache's key: raise it when reading changes
CHUNK = 64  # files parsed in one piece of work for a process


class SourceCache(Protocol):
    """What was read of blobs before. A cache may forget anything at any time."""

    def sources(self, version: str, wanted: Mapping[TestPath, BlobSha]) -> Mapping[TestPath, SourceRegistrations]:
        """Registrations known of files at their blobs, as this version of the reader reads them."""
        ...

    def keep_sources(self, version: str, sources: Iterable[SourceRegistrations]) -> None:
        """Remember what was read, files without any registration too."""
        ...

    def contents(self, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes that are known."""
        ...

    def keep_contents(self, contents: Mapping[BlobSha, bytes]) -> None:
        """Remember bytes of files that carry registrations."""
        ...


class ChangeLog(Protocol):
    """Who changed a file."""

    async def touching(self, path: TestPath, since: CommitSha | None, until: CommitSha) -> tuple[CommitNote, ...]:
        """The newest commits of `until` that touch a file and are no part of `since` (None: all of them)."""
        ...


class NoCache:
    """Forgets everything at once."""

    def sources(self, version: str, wanted: Mapping[TestPath, BlobSha]) -> Mapping[TestPath, SourceRegistrations]:  # noqa: ARG002 - the port's signature
        """Nothing."""
        return {}

    def keep_sources(self, version: str, sources: Iterable[SourceRegistrations]) -> None:
        """Nothing is kept."""

    def contents(self, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:  # noqa: ARG002 - the port's signature
        """Nothing."""
        return {}

    def keep_contents(self, contents: Mapping[BlobSha, bytes]) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Where a repository is read from, what is remembered of it, and who does the parsing."""

    tree: SourceTree
    cache: SourceCache
    executor: Executor | None = None  # None: the event loop's threads
    dialects: Dialects = AUTOMATIC
    changes: ChangeLog | None = None  # None: nobody asks who changed what

    @property
    def version(self) -> str:
        """Names how files are read: what was read by other settings is not taken for it."""
        settings = self.dialects.settings
        if not (settings.dialects or settings.yaml):
            return READER_VERSION
        said = settings.model_dump_json(include={"dialects", "yaml"})
        return f"{READER_VERSION}+{hashlib.sha256(said.encode()).hexdigest()[:16]}"


async def sources_of(
    reader: Reader, wanted: Mapping[TestPath, TreeEntry]
) -> tuple[tuple[SourceRegistrations, ...], dict[BlobSha, bytes]]:
    """Every wanted file's registrations, files without any left out, and the bytes that were read for it."""
    regular = {path: entry.blob for path, entry in wanted.items() if entry.regular}
    cached = await asyncio.to_thread(reader.cache.sources, reader.version, regular)
    known = {(path, source.blob): source for path, source in cached.items()}
    contents = await contents_of(reader, set(unread(wanted, known)))
    items = [(path, blob, contents[blob]) for path, blob in regular.items() if (path, blob) not in known]
    parts = [items[at : at + CHUNK] for at in range(0, len(items), CHUNK)]
    loop = asyncio.get_running_loop()
    jobs = [loop.run_in_executor(reader.executor, read_part, part, reader.dialects) for part in parts]
    read = [source for part in await asyncio.gather(*jobs) for source in part]
    await asyncio.to_thread(reader.cache.keep_sources, reader.version, read)
    known |= {(source.path, source.blob): source for source in read}
    carrying = read_all(wanted, {}, known)
    blobs = {source.blob for source in carrying}
    return carrying, {blob: raw for blob, raw in contents.items() if blob in blobs}


def read_part(
    items: Sequence[tuple[TestPath, BlobSha, bytes]], dialects: Dialects = AUTOMATIC
) -> list[SourceRegistrations]:
    """The registrations of some files, in order: one piece of work for a process."""
    return [read_one(path, blob, raw, dialects) for path, blob, raw in items]


async def contents_of(reader: Reader, blobs: set[BlobSha]) -> dict[BlobSha, bytes]:
    """The bytes of each blob, fetched where they are not remembered."""
    known = dict(await asyncio.to_thread(reader.cache.contents, blobs))
    unread = sorted(blobs - known.keys())
    if unread:
        read = await reader.tree.contents(unread)
        await asyncio.to_thread(reader.cache.keep_contents, read)
        known |= read
    return known
