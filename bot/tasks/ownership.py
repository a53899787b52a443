"""Whether the rolling branch's tip is a commit of ours: remembered, or proved by what it changes.

A commit of ours names its proposals and its content in trailers. Where the store does not know the
tip (it was lost, there is none, or GitHub rebased the branch by its "Update branch" button), the
commit is ours when what it changes is exactly what it says, and nothing of a person is in it. The
same button may merge the base into the branch instead: such a merge is ours when one parent is ours,
the other a commit of the base, and its content nothing but theirs (`bot.tasks.merged_base`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.domain import BlobSha, CommitSha, TestPath
from bot.publish.digests import content_digest
from bot.publish.names import CONTENT_TRAILER, PROPOSALS_TRAILER, trailer_of
from bot.records.publications import Publication
from bot.store.open import Store
from bot.tasks.merged_base import FourTrees, FourVersions
from bot.tasks.ports import CommitFacts, Forge, RepositoryFiles

MOST_MERGES = 10  # of the base, one after another, since our commit


@dataclass(frozen=True, slots=True)
class _Ours:
    """A commit that holds our proposals and nothing else beside what it stands on."""

    commit: CommitSha
    base_sha: CommitSha
    digest: str


async def learn_tip(forge: Forge, store: Store, publication: Publication) -> None:
    """Remember the rolling branch's tip as a publication where it is proved ours and not known yet.

    `publication` names the repository, the branch and the tip, and where the base is now; what the
    commit says fills the rest.
    """
    ours = await _ours(forge.files, store, publication, MOST_MERGES)
    if ours is not None:
        found = replace(publication, base_sha=ours.base_sha, digest=ours.digest)
        known = await asyncio.to_thread(store.publications.find, publication.repository_id, publication.commit)
        if known is None:
            await asyncio.to_thread(store.publications.record, found)


def proven(facts: CommitFacts) -> str | None:
    """The proposals digest of a commit whose content is what its trailers say; None for any other commit."""
    digest, content = trailer_of(facts.message, PROPOSALS_TRAILER), trailer_of(facts.message, CONTENT_TRAILER)
    changed = {TestPath(path): BlobSha(blob) for path, blob in facts.changed.items()}
    return digest if digest and facts.parent and content == content_digest(changed) else None


async def _ours(files: RepositoryFiles, store: Store, tip: Publication, merges: int) -> _Ours | None:
    """What is known or proved of a commit; `merges` bounds how many merges of the base are looked through."""
    known = await asyncio.to_thread(store.publications.find, tip.repository_id, tip.commit)
    if known is not None:
        return _Ours(known.commit, known.base_sha, known.digest)
    facts = await files.commit_facts(tip.commit)
    digest = proven(facts)
    if digest is not None and facts.parent is not None:
        return _Ours(tip.commit, facts.parent, digest)
    if len(facts.parents) != 2 or merges == 0:
        return None
    branch, base = facts.parents
    below = await _ours(files, store, replace(tip, commit=branch), merges - 1)
    if below is None or not await _only_merges(files, tip, below, base):
        return None
    return _Ours(tip.commit, base, below.digest)


async def _only_merges(files: RepositoryFiles, tip: Publication, ours: _Ours, base: CommitSha) -> bool:
    """True where the tip is the merge of our commit and a later commit of the base, with no content of its own."""
    if not await files.is_ancestor(ours.base_sha, base) or not await files.is_ancestor(base, tip.base_sha):
        return False
    trees = FourTrees(*[await files.files(one) for one in (ours.base_sha, ours.commit, base, tip.commit)])
    disputed = trees.disputed()
    if disputed is None:
        return False
    for path in disputed:
        blobs = [tree[path].blob for tree in (trees.stood_on, trees.ours, trees.base, trees.merge)]
        contents = await files.contents(blobs)
        versions = FourVersions(*[contents[blob] for blob in blobs])
        if not await asyncio.to_thread(versions.replays):
            return False
    return True
