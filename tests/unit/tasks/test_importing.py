"""What tests import is read in whole batches, and nothing that is remembered is read again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain import BlobSha, CommitSha, ImportRefusal, SourceRegistrations, TestPath, blob_sha
from bot.edit.imports.reach import Counting
from bot.edit.imports.references import References
from bot.edit.ports import TreeEntry
from bot.tasks.importing import MOST_STEPS, references_of
from bot.tasks.reading import NoCache, Reader


@dataclass
class Files:
    """A tree of one commit, which keeps how many blobs each question asked for."""

    texts: Mapping[str, str]
    asked: list[int] = field(default_factory=list)

    async def files(self, commit: CommitSha) -> Mapping[TestPath, TreeEntry]:
        return {TestPath(path): TreeEntry(blob_sha(text.encode()), "100644") for path, text in self.texts.items()}

    async def contents(self, blobs: Sequence[BlobSha]) -> Mapping[BlobSha, bytes]:
        self.asked.append(len(blobs))
        known = {blob_sha(text.encode()): text.encode() for text in self.texts.values()}
        return {blob: known[blob] for blob in blobs}

    async def is_ancestor(self, commit: CommitSha, of: CommitSha) -> bool:
        return commit == of


@dataclass
class Remembering(NoCache):
    """A cache of bytes that forgets nothing."""

    known: dict[BlobSha, bytes] = field(default_factory=dict)

    def contents(self, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:
        return {blob: self.known[blob] for blob in blobs if blob in self.known}

    def keep_contents(self, contents: Mapping[BlobSha, bytes]) -> None:
        self.known.update(contents)

    def keep_sources(self, version: str, sources: Iterable[SourceRegistrations]) -> None:
        """Nothing is kept."""


def read(files: Files, cache: NoCache) -> Mapping[TestPath, References]:
    async def whole() -> Mapping[TestPath, References]:
        tree = await files.files(CommitSha("a" * 40))
        tests = [path for path in tree if path.startswith("tests/test_")]
        return await references_of(Reader(files, cache), tree, Counting(("lib/**",)), tests)

    return asyncio.run(whole())


TESTS = {f"tests/test_{n}.py": f"import lib.a{n % 20}  # {n}" for n in range(150)}
TREE = TESTS | {f"lib/a{n}.py": f"import lib.b{n % 5}  # {n}" for n in range(20)}
TREE |= {f"lib/b{n}.py": f"x = {n}" for n in range(9)}


def test_a_hundred_tests_and_what_they_reach_are_three_questions_and_then_none() -> None:
    files, cache = Files(TREE), Remembering()
    first = read(files, cache)
    assert files.asked == [150, 20, 5]
    assert len(first) == 150 + 20 + 5
    assert read(files, cache) == first
    assert files.asked == [150, 20, 5]


def test_a_chain_without_an_end_is_followed_so_far_and_named() -> None:
    chain = {f"lib/c{n}.py": f"import lib.c{n + 1}" for n in range(MOST_STEPS + 10)}
    files = Files({"tests/test_a.py": "import lib.c0", **chain})
    found = read(files, NoCache())
    assert len(files.asked) == MOST_STEPS
    last = found[TestPath(f"lib/c{MOST_STEPS - 1}.py")]
    assert [one.reason for one in last.refused] == [ImportRefusal.TOO_MANY]
