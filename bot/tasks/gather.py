"""Gathers what an evaluation reads of a repository: trees, registrations, contents, ancestry.

All effects of the evaluation are here; what it makes of them is `bot.tasks.steps`' part. Files are
read as bytes and as syntax, never run. What was read of a blob before is not read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from bot.calibration.limits import ChangeQuestion, change_questions
from bot.domain import (
    BlobSha,
    CommitNote,
    CommitSha,
    Imports,
    RunEvidence,
    SourceRegistrations,
    TestPath,
)
from bot.edit.imports.reach import Counting, reached
from bot.edit.imports.references import References
from bot.edit.ports import TreeEntry
from bot.edit.registrations import Dialects
from bot.edit.registry_reader import split_location
from bot.edit.tree_reader import file_of, in_scope, with_gone_files
from bot.errors import UserError
from bot.evidence.carried import mark_carried
from bot.repo_config import RepoConfig
from bot.tasks.importing import references_of
from bot.tasks.reading import Reader, contents_of, sources_of

_QUESTIONS = 10  # tests near their limit whose history is asked for; each costs GitHub two requests


@dataclass(frozen=True, slots=True)
class HeadFiles:
    """What was measured at one head commit: entries of the measured paths, and whether the base holds the head.

    `imported` holds those of files that measured tests may import or launch.
    """

    sha: CommitSha
    in_base: bool
    files: Mapping[TestPath, TreeEntry]
    imported: Mapping[TestPath, TreeEntry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gathered:
    """A repository as far as an evaluation reads it.

    `sources` holds the files at the base that carry or mention a registration. `contents` holds
    their bytes, and those of measured files whose blob at a head differs. `label_registry` is None
    where the file does not exist. `imports` holds what each measured test reaches, where any file counts.
    """

    base: str
    base_sha: CommitSha
    base_files: Mapping[TestPath, TreeEntry]
    sources: tuple[SourceRegistrations, ...]
    heads: Mapping[CommitSha, HeadFiles]
    contents: Mapping[BlobSha, bytes] = field(repr=False)
    label_registry: bytes | None = None
    touching: Mapping[ChangeQuestion, tuple[CommitNote, ...]] = field(default_factory=dict)
    imports: Mapping[TestPath, Imports] = field(default_factory=dict)


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
    named = await _named(reader, base_files, sources, runs, config)
    commits = dict.fromkeys(sha for run in runs for sha in _heads_of(run))
    heads = {commit: await _head(reader, commit, base_sha, runs, named) for commit in commits}
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
        imports=named.reached(base_files, heads.values()),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """What measured tests and the files they reach name at the base; nothing where no file counts."""

    references: Mapping[TestPath, References]
    counting: Counting
    tests: Set[TestPath]
    places: Set[TestPath]

    def entries(self, files: Mapping[TestPath, TreeEntry]) -> dict[TestPath, TreeEntry]:
        """The places that a tree has, and that count."""
        return {path: files[path] for path in sorted(self.places & files.keys()) if self.counting.counts(path)}

    def reached(
        self, base_files: Mapping[TestPath, TreeEntry], heads: Iterable[HeadFiles]
    ) -> Mapping[TestPath, Imports]:
        """What each test reaches at the base, and beside it at a head."""
        present = self.entries(base_files)
        for head in heads:
            present |= head.imported
        return {test: reached(test, self.references, present) for test in sorted(self.tests)}


async def _named(
    reader: Reader,
    base_files: Mapping[TestPath, TreeEntry],
    sources: Iterable[SourceRegistrations],
    runs: Sequence[RunEvidence],
    config: RepoConfig,
) -> _Named:
    """Read what measured tests with a registration import and launch, where the configuration counts any file."""
    counting = Counting(config.identity.imports)
    if not config.identity.imports:
        return _Named({}, counting, frozenset(), frozenset())
    measured = {file_of(row.path) for run in runs for row in run.rows}
    tests = measured & {file_of(call.key.path) for source in sources for call in source.registrations if call.active}
    references = await references_of(reader, base_files, counting, tests)
    places = {place for one in references.values() for place in one.places}
    return _Named(references, counting, tests, places)


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


def _heads_of(run: RunEvidence) -> Iterable[CommitSha]:
    """The commits a run measured: its head, or those its jobs checked out of another repository."""
    return {row.head_sha for row in run.rows if row.head_sha} if run.run.measures else {run.run.head_sha}


async def _head(
    reader: Reader, head: CommitSha, base: CommitSha, runs: Sequence[RunEvidence], named: _Named
) -> HeadFiles:
    measured = {file_of(row.path) for run in runs for row in run.rows if row.head_sha == head}
    measured |= reader.dialects.yaml_files
    in_base = await reader.tree.is_ancestor(head, base)
    try:
        files = await reader.tree.files(head)
    except UserError:
        if in_base:
            raise
        files = {}  # a head that was rebased away and collected: nothing of it can be compared
    there = {path: files[path] for path in sorted(measured) if path in files}
    return HeadFiles(head, in_base, there, named.entries(files))


def _needed(
    base_files: Mapping[TestPath, TreeEntry],
    sources: Iterable[SourceRegistrations],
    heads: Mapping[CommitSha, HeadFiles],
    config: RepoConfig,
) -> set[BlobSha]:
    """Blobs whose bytes the evaluation reads: edited files, both sides of a difference, the label registry."""
    needed = {source.blob for source in sources if base_files[source.path].regular}
    registered = {source.path for source in sources}
    for head in heads.values():
        imported = {path: entry for path, entry in head.imported.items() if path in registered}
        for path, entry in (imported | dict(head.files)).items():
            at_base = base_files.get(path)
            if at_base and at_base != entry and at_base.regular and entry.regular:
                needed |= {entry.blob, at_base.blob}
    registry = base_files.get(split_location(config.registrations.label_registry)[0])
    return needed | ({registry.blob} if registry and registry.regular else set())
