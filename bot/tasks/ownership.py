"""Whether the rolling branch's tip is a commit of ours: remembered, or proved by what it changes.

A commit of ours names its proposals and its content in trailers. Where the store does not know the
tip (it was lost, there is none, or GitHub rebased the branch by its "Update branch" button), the
commit is ours when what it changes is exactly what it says, and nothing of a person is in it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.domain import BlobSha, TestPath
from bot.publish.digests import content_digest
from bot.publish.names import CONTENT_TRAILER, PROPOSALS_TRAILER, trailer_of
from bot.records import Publication
from bot.store.open import Store
from bot.tasks.ports import CommitFacts, Forge


async def learn_tip(forge: Forge, store: Store, publication: Publication) -> None:
    """Remember the rolling branch's tip as a publication where it is proved ours and not known yet.

    `publication` names the repository, the branch and the tip; what the commit says fills the rest.
    """
    known = await asyncio.to_thread(store.publications.find, publication.repository_id, publication.commit)
    if known is not None:
        return
    facts = await forge.files.commit_facts(publication.commit)
    digest = proven(facts)
    if digest is not None and facts.parent is not None:
        found = replace(publication, base_sha=facts.parent, digest=digest)
        await asyncio.to_thread(store.publications.record, found)


def proven(facts: CommitFacts) -> str | None:
    """The proposals digest of a commit whose content is what its trailers say; None for any other commit."""
    digest, content = trailer_of(facts.message, PROPOSALS_TRAILER), trailer_of(facts.message, CONTENT_TRAILER)
    changed = {TestPath(path): BlobSha(blob) for path, blob in facts.changed.items()}
    return digest if digest and facts.parent and content == content_digest(changed) else None
