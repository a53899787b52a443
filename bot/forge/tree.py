"""A repository's files at any commit, over GitHub's API: the edit stage's `SourceTree`.

Trees come by REST, contents in batches by GraphQL, and one by one where GraphQL would not give the
very bytes. Every content is held against its blob's SHA-1 before it is handed on.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import sys
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.domain import BlobSha, CommitSha, TestPath, blob_sha
from bot.edit.ports import TreeEntry
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.git_objects import checked_sha
from bot.forge.payloads.commits import ComparePayload
from bot.forge.payloads.git import BlobPayload, GraphBlob, TreeItem, TreePayload

BATCH = 100  # blobs in one GraphQL question
BATCH_BYTES = 4 * 1024 * 1024
GRAPHQL_BLOB_BYTES = 256 * 1024  # GraphQL truncates a text of 512 KiB; larger files go by REST
AT_ONCE = 4
MAX_TREES = 300  # tree requests for one commit
MAX_FILES = 1_000_000
TREES_HELD = 24  # the heads of a window's nights, and a few bases
ANSWERS_HELD = 4096  # about ancestry
_BLOB_FIELDS = "... on Blob { oid isTruncated text }"


class GitHubTree:
    """One repository at any commit. The last trees, and ancestry, are remembered: neither ever changes."""

    def __init__(self, client: GitHubClient, repository: str) -> None:
        self._client = client
        self._name = RepositoryName.of(repository)
        self._trees: OrderedDict[CommitSha, Mapping[TestPath, TreeEntry]] = OrderedDict()
        self._sizes: dict[BlobSha, int] = {}
        self._ancestry: OrderedDict[tuple[CommitSha, CommitSha], bool] = OrderedDict()

    async def files(self, commit: CommitSha) -> Mapping[TestPath, TreeEntry]:
        """Every file of the commit's tree, by path.

        Raises:
            RefusedError: the commit is not in the repository, or its tree is too large to read.
            BusyError: GitHub did not answer.
        """
        if commit not in self._trees:
            items = await _Walk(self._client, self._name).items(checked_sha(commit))
            if len(self._sizes) > MAX_FILES:
                self._sizes.clear()  # they only choose the way to ask
            self._sizes.update((BlobSha(item.sha), item.size) for item in items if item.size is not None)
            self._trees[commit] = _shared(items, next(reversed(self._trees.values()), {}))
            while len(self._trees) > TREES_HELD:
                self._trees.popitem(last=False)
        self._trees.move_to_end(commit)
        return self._trees[commit]

    async def contents(self, blobs: Sequence[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes of each blob.

        Raises:
            RefusedError: one of them is not in the repository.
            BusyError: GitHub did not answer, or gave other bytes.
        """
        wanted = list(dict.fromkeys(BlobSha(checked_sha(blob)) for blob in blobs))
        small = [blob for blob in wanted if self._sizes.get(blob, 0) <= GRAPHQL_BLOB_BYTES]
        gate = asyncio.Semaphore(AT_ONCE)

        async def batch(part: Sequence[BlobSha]) -> dict[BlobSha, bytes]:
            async with gate:
                return await self._batch(part)

        async def single(blob: BlobSha) -> tuple[BlobSha, bytes]:
            async with gate:
                return blob, await self._single(blob)

        found: dict[BlobSha, bytes] = {}
        for part in await asyncio.gather(*map(batch, self._batches(small))):
            found.update(part)
        found.update(await asyncio.gather(*(single(blob) for blob in wanted if blob not in found)))
        return found

    async def is_ancestor(self, commit: CommitSha, of: CommitSha) -> bool:
        """True where `commit` is `of` or one of its ancestors; False where either is unknown.

        Raises:
            BusyError: GitHub did not answer.
        """
        if commit == of:
            return True
        key = (commit, of)
        if key not in self._ancestry:
            try:
                answer = await self._compare(checked_sha(commit), checked_sha(of))
            except RefusedError as error:
                if error.status in (404, 422):
                    return False  # not remembered: what is unknown or hidden now may be there next time
                raise
            self._ancestry[key] = answer
            while len(self._ancestry) > ANSWERS_HELD:
                self._ancestry.popitem(last=False)
        return self._ancestry[key]

    async def _compare(self, base: str, head: str) -> bool:
        url = self._name.path + "/compare/{base}...{head}?per_page=1"
        found = await self._client.get(ComparePayload, url, base=base, head=head)
        return found.status in ("ahead", "identical")

    def _batches(self, blobs: Sequence[BlobSha]) -> Iterator[Sequence[BlobSha]]:
        """At most `BATCH` blobs and, where sizes are known, `BATCH_BYTES` bytes each."""
        part: list[BlobSha] = []
        weight = 0
        for blob in blobs:
            size = self._sizes.get(blob, 0)
            if part and (len(part) == BATCH or weight + size > BATCH_BYTES):
                yield part
                part, weight = [], 0
            part.append(blob)
            weight += size
        if part:
            yield part

    async def _batch(self, blobs: Sequence[BlobSha]) -> dict[BlobSha, bytes]:
        """Those of `blobs` whose text is, byte for byte, the blob; the others need another way."""
        fields = " ".join(f'b{n}: object(oid: "{blob}") {{ {_BLOB_FIELDS} }}' for n, blob in enumerate(blobs))
        text = f"query($owner: String!, $name: String!) {{ repository(owner: $owner, name: $name) {{ {fields} }} }}"
        data = await self._client.query(text, owner=self._name.owner, name=self._name.name)
        repository = data.get("repository")
        found: dict[BlobSha, bytes] = {}
        for n, blob in enumerate(blobs):
            raw = exact_text(repository.get(f"b{n}") if isinstance(repository, dict) else None)
            if raw is not None and blob_sha(raw) == blob:
                found[blob] = raw
        return found

    async def _single(self, blob: BlobSha) -> bytes:
        return await read_blob(self._client, self._name, blob)


async def read_blob(client: GitHubClient, name: RepositoryName, blob: BlobSha) -> bytes:
    """One blob by REST, in base64, whatever its encoding.

    Raises:
        RefusedError: it is not in the repository.
        BusyError: GitHub did not answer, or gave other bytes.
    """
    found = await client.get(BlobPayload, name.path + "/git/blobs/{sha}", sha=checked_sha(blob))
    try:
        raw = base64.b64decode(found.content) if found.encoding == "base64" else found.content.encode()
    except (binascii.Error, ValueError):
        raise BusyError(f"blob {blob}: not base64") from None
    if blob_sha(raw) != blob:
        raise BusyError(f"blob {blob}: GitHub gave other bytes")
    return raw


def exact_text(item: object) -> bytes | None:
    """A GraphQL Blob's text as UTF-8; None for binary, truncated or missing ones.

    GraphQL decodes with replacement and may drop a BOM, so the result still needs its SHA-1 checked.
    """
    if not isinstance(item, dict) or "oid" not in item:
        return None
    blob = GraphBlob.model_validate(item)
    return None if blob.text is None or blob.truncated else blob.text.encode("utf-8", "surrogatepass")


def _shared(items: Iterable[TreeItem], before: Mapping[TestPath, TreeEntry]) -> dict[TestPath, TreeEntry]:
    """A tree that shares paths and equal entries with the one read before: trees of one repository are alike."""
    found: dict[TestPath, TreeEntry] = {}
    for item in items:
        path = TestPath(sys.intern(item.path))
        entry, known = TreeEntry(BlobSha(item.sha), item.mode, item.size), before.get(path)
        found[path] = known if known == entry else entry
    return found


class _Walk:
    """Every file below one commit's tree, going down by hand where GitHub truncates."""

    def __init__(self, client: GitHubClient, name: RepositoryName) -> None:
        self._client = client
        self._url = name.path + "/git/trees/{sha}"
        self._asked = 0
        self._items: list[TreeItem] = []

    async def items(self, commit: str) -> list[TreeItem]:
        pending = [("", commit)]
        while pending:
            prefix, sha = pending.pop()
            whole = await self._tree(sha, "?recursive=1")
            if not whole.truncated:
                self._keep(prefix, whole.tree)
                continue
            level = await self._tree(sha, "")
            if level.truncated:
                raise RefusedError("GET git/trees: one directory is too large to be listed", 0)
            self._keep(prefix, level.tree)
            pending += [(f"{prefix}{item.path}/", item.sha) for item in level.tree if item.type == "tree"]
        return self._items

    async def _tree(self, sha: str, suffix: str) -> TreePayload:
        self._asked += 1
        if self._asked > MAX_TREES:
            raise RefusedError(f"GET git/trees: more than {MAX_TREES} requests for one commit", 0)
        return await self._client.get(TreePayload, self._url + suffix, sha=sha)

    def _keep(self, prefix: str, items: Sequence[TreeItem]) -> None:
        files = [item for item in items if item.type != "tree"]
        self._items += [item.model_copy(update={"path": prefix + item.path}) for item in files] if prefix else files
        if len(self._items) > MAX_FILES:
            raise RefusedError(f"GET git/trees: more than {MAX_FILES} files", 0)
