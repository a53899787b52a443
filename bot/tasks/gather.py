"""Gathers what an evaluation reads of a repository: trees, registrations, contents, ancestry.

All effects of the evaluation are here; what it makes of them is `bot.tasks.steps`' part. Files are
read as bytes and as syntax, never run. What was read of a blob before is not read again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.calibration.limits import ChangeQuestion, change_questions
from bot.domain import (
    BlobSha,
    CommitNote,
    CommitSha,
    RunEvidence,
    SourceRegistrations,
    TestPath,
)
from bot.edit.ports import SourceTree, TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.registry_reader import split_location
from bot.edit.tree_reader import file_of, in_scope, read_all, read_one, unread, with_gone_files
from bot.errors import UserError
from bot.evidence.carried import mark_carried
from bot.repo_config import RepoConfig

READER_VERSION = "calls/2"  # part of the cache's key: raise it when reading changes
_CHUNK = 64  # files parsed in one piece of work for a process
_QUESTIONS = 10  # tests near their limit whose history is asked for; each costs GitHub two requests


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
class HeadFiles:
    """What was measured at one head commit: entries of the measured paths, and whether the base holds the head."""

    sha: CommitSha
    in_base: bool
    files: Mapping[TestPath, TreeEntry]


@dataclass(frozen=True, slots=True)
class Gathered:
    """A repository as far as an evaluation reads it.

    `sources` holds the files at the base that carry or mention a registration. `contents` holds
    their bytes, and those of measured files whose blob at a head differs. `label_registry` is None
    where the file does not exist.
    """

    base: str
    base_sha: CommitSha
    base_files: Mapping[TestPath, TreeEntry]
    sources: tuple[SourceRegistrations, ...]
    heads: Mapping[CommitSha, HeadFiles]
    contents: Mapping[BlobSha, bytes] = field(repr=False)
    label_registry: bytes | None = None
    touching: Mapping[ChangeQuestion, tuple[CommitNote, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reader:
    """Where a repository is read from, what is remembered of it, and who does the parsing."""

    tree: SourceTree
    cache: SourceCache
    executor: Executor | None = None  # None: the event loop's threads
    dialects: Dialects = AUTOMATIC

    @property
    def version(self) -> str:
        """Names how files are read: what was read by other settings is not taken for it."""
        settings = self.dialects.settings
        if not (settings.dialects or settings.yaml):
            return READER_VERSION
        said = settings.model_dump_json(include={"dialects", "yaml"})
        return f"{READER_VERSION}+{hashlib.sha256(said.encode()).hexdigest()[:16]}"

    changes: ChangeLog | None = None  # None: nobody asks who changed what


async def gather(
    reader: Reader, base: str, base_sha: CommitSha, runs: Sequence[RunEvidence], config: RepoConfig
) -> Gathered:
    """Read the base and every head the runs measured.

    Raises:
        UserError: a commit is not in the repository, or it may not be read.
        RetryableError: the source is busy.
    """
    reader = replace(reader, dialects=Dialects(config.registrations))
    base_files = await reader.tree.files(base_sha)
    wanted = in_scope(base_files, config.registrations.paths, reader.dialects.yaml_files)
    sources, contents = await sources_of(reader, wanted)
    commits = dict.fromkeys(sha for run in runs for sha in _heads_of(run))
    heads = {commit: await _head(reader, commit, base_sha, runs) for commit in commits}
    missing = _needed(base_files, sources, heads, config) - contents.keys()
    contents = {**contents, **await contents_of(reader, missing)}
    registry_path, _ = split_location(config.registrations.label_registry)
    registry = base_files.get(registry_path)
    return Gathered(
        base=base,
        base_sha=base_sha,
        base_files=base_files,
        sources=with_gone_files(sources, base_files),
        heads=heads,
        contents=contents,
        label_registry=contents[registry.blob] if registry and registry.regular else None,
        touching=await _touching(reader, heads, change_questions(mark_carried(runs), config.timeout.rule)),
    )


async def _touching(
    reader: Reader, heads: Mapping[CommitSha, HeadFiles], questions: Sequence[ChangeQuestion]
) -> Mapping[ChangeQuestion, tuple[CommitNote, ...]]:
    """The commits that may explain why a test came to its limit; a file that is the same was touched by none."""
    if reader.changes is None:
        return {}
    found: dict[ChangeQuestion, tuple[CommitNote, ...]] = {}
    for asked in questions[:_QUESTIONS]:
        same = _same_file(heads, asked)
        found[asked] = () if same else await reader.changes.touching(asked.path, asked.since, asked.until)
    return found


def _same_file(heads: Mapping[CommitSha, HeadFiles], asked: ChangeQuestion) -> bool:
    """True where both ends hold the very same file: no need to ask for its history."""
    ends = [heads[end].files.get(asked.path) for end in (asked.since, asked.until) if end is not None and end in heads]
    return len(ends) == 2 and ends[0] is not None and ends[0] == ends[1]


async def sources_of(
    reader: Reader, wanted: Mapping[TestPath, TreeEntry]
) -> tuple[tuple[SourceRegistrations, ...], dict[BlobSha, bytes]]:
    """Every wanted file's registrations, files without any left out, and the bytes that were read for it."""
    regular = {path: entry.blob for path, entry in wanted.items() if entry.regular}
    cached = await asyncio.to_thread(reader.cache.sources, reader.version, regular)
    known = {(path, source.blob): source for path, source in cached.items()}
    contents = await contents_of(reader, set(unread(wanted, known)))
    items = [(path, blob, contents[blob]) for path, blob in regular.items() if (path, blob) not in known]
    parts = [items[at : at + _CHUNK] for at in range(0, len(items), _CHUNK)]
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


def _heads_of(run: RunEvidence) -> Iterable[CommitSha]:
    """The commits a run measured: its head, or those its jobs checked out of another repository."""
    return {row.head_sha for row in run.rows if row.head_sha} if run.run.measures else {run.run.head_sha}


async def _head(reader: Reader, head: CommitSha, base: CommitSha, runs: Sequence[RunEvidence]) -> HeadFiles:
    measured = {file_of(row.path) for run in runs for row in run.rows if row.head_sha == head}
    measured |= reader.dialects.yaml_files
    in_base = await reader.tree.is_ancestor(head, base)
    try:
        files = await reader.tree.files(head)
    except UserError:
        if in_base:
            raise
        files = {}  # a head that was rebased away and collected: nothing of it can be compared
    return HeadFiles(head, in_base, {path: files[path] for path in sorted(measured) if path in files})


def _needed(
    base_files: Mapping[TestPath, TreeEntry],
    sources: Iterable[SourceRegistrations],
    heads: Mapping[CommitSha, HeadFiles],
    config: RepoConfig,
) -> set[BlobSha]:
    """Blobs whose bytes the evaluation reads: edited files, both sides of a difference, the label registry."""
    needed = {source.blob for source in sources if base_files[source.path].regular}
    for head in heads.values():
        for path, entry in head.files.items():
            at_base = base_files.get(path)
            if at_base and at_base != entry and at_base.regular and entry.regular:
                needed |= {entry.blob, at_base.blob}
    registry = base_files.get(split_location(config.registrations.label_registry)[0])
    return needed | ({registry.blob} if registry and registry.regular else set())


async def contents_of(reader: Reader, blobs: set[BlobSha]) -> dict[BlobSha, bytes]:
    """The bytes of each blob, fetched where they are not remembered."""
    known = dict(await asyncio.to_thread(reader.cache.contents, blobs))
    unread = sorted(blobs - known.keys())
    if unread:
        read = await reader.tree.contents(unread)
        await asyncio.to_thread(reader.cache.keep_contents, read)
        known |= read
    return known
