"""Whether the rolling branch's tip is a commit of ours: remembered, or proved by what it changes.

A commit of ours names its proposals and its content in trailers. Where the store does not know the
tip (it was lost, there is none, or GitHub rebased the branch by its "Update branch" button), the
commit is ours when what it changes is exactly what it says, and nothing of a person is in it.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

from bot.domain import BlobSha, CommitSha, RepositoryId, TestPath
from bot.publish.digests import content_digest
from bot.publish.names import CONTENT_TRAILER, PROPOSALS_TRAILER, trailer_of
from bot.publish.pull_request import Target
from bot.records import Publication
from bot.store.open import Store
from bot.tasks.ports import CommitFacts, Forge


async def learn_tip(
    forge: Forge, store: Store, repository_id: RepositoryId, target: Target, now: datetime
) -> CommitSha | None:
    """Where the branch is; a tip that is proved ours is remembered as a publication."""
    tips = await forge.write(lambda writes: writes.refs.tips([target.branch]))
    tip = tips[target.branch]
    if tip is None:
        return None
    known = await asyncio.to_thread(store.publications.find, repository_id, tip)
    if known is not None:
        return tip
    facts = await forge.files.commit_facts(tip)
    digest = proven(facts)
    if digest is not None and facts.parent is not None:
        publication = Publication(
            repository_id=repository_id,
            commit=tip,
            branch=target.branch,
            base=target.base,
            base_sha=facts.parent,
            digest=digest,
            published_at=now,
        )
        await asyncio.to_thread(store.publications.record, publication)
    return tip


def proven(facts: CommitFacts) -> str | None:
    """The proposals digest of a commit whose content is what its trailers say; None for any other commit."""
    digest, content = trailer_of(facts.message, PROPOSALS_TRAILER), trailer_of(facts.message, CONTENT_TRAILER)
    changed = {TestPath(path): BlobSha(blob) for path, blob in facts.changed.items()}
    return digest if digest and facts.parent and content == content_digest(changed) else None
