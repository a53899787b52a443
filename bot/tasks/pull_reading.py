"""Reads what a pull request's comparison needs: both trees, the nights, and files that were measured.

What a pull request brings is parsed like everything else and not kept: a fork must not fill what
we remember. Costs: two trees, and the contents that are not known yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from bot.calibration.policies import in_service, policy_from
from bot.config_file import CONFIG_PATH, Invalid, Problem
from bot.config_names import read_config
from bot.domain import BlobSha, CommitSha, RepositoryId, RunEvidence, TaskRequest, TestPath
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.registry_reader import LabelRegistry, UnreadRegistry, read_registry, split_location
from bot.edit.tree_reader import file_of, in_scope, with_gone_files
from bot.records.measurements import NightWindow
from bot.repo_config import RepoConfig
from bot.store.open import Store
from bot.tasks.comparing import Sides, touched
from bot.tasks.evaluating import ALL_NIGHTS, StoreCache
from bot.tasks.reading import Reader, contents_of, sources_of
from bot.tasks.values import PullPinned
from bot.tasks.workshop import Workshop

MOST_FILES = 1000  # changed files that are looked at
_CONFIG = TestPath(CONFIG_PATH)


class LooksOnly(StoreCache):
    """What is known of blobs; what is added to it is forgotten with it."""

    def __init__(self, store: Store, repository_id: RepositoryId) -> None:
        super().__init__(store, repository_id)
        self._added: dict[BlobSha, bytes] = {}

    def contents(self, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes that are known."""
        wanted = set(blobs)
        here = {blob: self._added[blob] for blob in wanted & self._added.keys()}
        return {**super().contents(wanted - here.keys()), **here}

    def keep_contents(self, contents: Mapping[BlobSha, bytes]) -> None:
        """Keep them for as long as this is there."""
        self._added.update(contents)


class PullReading:
    """Reads for comparisons."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def sides(self, request: TaskRequest, pinned: PullPinned) -> Sides:
        """Everything that is compared.

        Raises:
            UserError: a commit may not be read, or the configuration names an estimator that is not there.
            RetryableError: GitHub is busy.
        """
        policy, dialects = in_service(policy_from(pinned.config.estimate)), Dialects(pinned.config.registrations)
        files, reader = self._workshop.forge(request).files, self._reader(request, dialects)
        head, base = await files.files(pinned.head_sha), await files.files(pinned.merge_base)
        changed = {path: entry for path, entry in head.items() if base.get(path) != entry}
        scope = in_scope(changed, pinned.config.registrations.paths, dialects.yaml_files)
        looked_at = dict(list(scope.items())[:MOST_FILES])
        await contents_of(reader, _blobs(looked_at, base, head.get(_registry(pinned.config))))  # in one question
        at_head, _ = await sources_of(reader, looked_at)
        at_base, _ = await sources_of(reader, {path: base[path] for path in looked_at if path in base})
        at_head, at_base = with_gone_files(at_head, head), with_gone_files(at_base, base)
        paths = {call.key.path for call in touched(at_head, at_base).active}
        runs = await asyncio.to_thread(self._nights, request, policy.window.nights if policy.window else ALL_NIGHTS)
        timings = self._workshop.store.timings
        measured = await asyncio.to_thread(timings.blobs, request.repository_id, paths) if paths else {}
        written = {path: head[file_of(path)].blob for path in paths if file_of(path) in head}
        return Sides(
            head=at_head,
            base=at_base,
            runs=runs if paths else (),
            measured=measured,
            written=written,
            contents=await contents_of(reader, _differing(written, measured)),
            labels=await self._labels(reader, head, pinned.config) if paths else UnreadRegistry(""),
            policy=policy,
            timeout=pinned.config.timeout,
            unread_files=len(scope) - len(looked_at),
            dialects=dialects,
        )

    async def configuration(self, request: TaskRequest, pinned: PullPinned) -> tuple[Problem, ...] | None:
        """What is wrong with the configuration file as the head has it; None where it is left alone."""
        files = self._workshop.forge(request).files
        there = (await files.files(pinned.head_sha)).get(_CONFIG)
        if there == (await files.files(pinned.merge_base)).get(_CONFIG):
            return None
        if there is None:
            return ()
        if not there.regular:
            return (Problem(1, "", "it is not a regular file"),)
        contents = await contents_of(self._reader(request), {there.blob})
        return config_problems(contents[there.blob])

    def _reader(self, request: TaskRequest, dialects: Dialects = AUTOMATIC) -> Reader:
        cache = LooksOnly(self._workshop.store, request.repository_id)
        return Reader(self._workshop.forge(request).files, cache, self._workshop.executor, dialects)

    def _nights(self, request: TaskRequest, nights: int) -> tuple[RunEvidence, ...]:
        return self._workshop.store.runs.evidence(request.repository_id, NightWindow(nights=nights))

    async def _labels(
        self, reader: Reader, head: Mapping[TestPath, TreeEntry], config: RepoConfig
    ) -> LabelRegistry | UnreadRegistry:
        """The head's own registry: a pull request may add a label and use it."""
        _, name = split_location(config.registrations.label_registry)
        entry = head.get(_registry(config))
        if entry is None or not entry.regular:
            return UnreadRegistry("")  # a repository without one has nothing to check labels against
        return read_registry((await contents_of(reader, {entry.blob}))[entry.blob], name)


def _registry(config: RepoConfig) -> TestPath:
    return split_location(config.registrations.label_registry)[0]


def _blobs(
    files: Mapping[TestPath, TreeEntry], base: Mapping[TestPath, TreeEntry], registry: TreeEntry | None
) -> set[BlobSha]:
    """What is read of the changed files, before and after, and of the label registry where any file is read."""
    entries = [*files.values(), *(base[path] for path in files if path in base)]
    entries += [registry] if registry and files else []
    return {entry.blob for entry in entries if entry.regular}


def config_problems(raw: bytes) -> tuple[Problem, ...]:
    """What is wrong with a configuration file."""
    state = read_config(raw)
    return state.problems if isinstance(state, Invalid) else ()


def _differing(
    written: Mapping[TestPath, BlobSha], measured: Mapping[tuple[TestPath, CommitSha], BlobSha]
) -> set[BlobSha]:
    """The blobs of measured files that are other ones now, on both sides."""
    pairs = {(written[path], blob) for (path, _), blob in measured.items() if path in written and written[path] != blob}
    return {blob for pair in pairs for blob in pair}
