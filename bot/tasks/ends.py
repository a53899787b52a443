"""Notes how earlier pull requests of ours ended, so that a merge is answered for and a closing respected."""

from __future__ import annotations

import asyncio

from bot.domain import RepositoryId
from bot.publish.names import rolling_branch
from bot.publish.ports.pulls import PullRequestState
from bot.records.publications import PullRequestEnd
from bot.store.open import Store
from bot.tasks.ports import Forge


async def note_ends(forge: Forge, store: Store, repository_id: RepositoryId, base: str) -> None:
    """Ask for the branch's pull requests and note those that ended since."""
    branch = rolling_branch(base)
    if await asyncio.to_thread(store.publications.latest, repository_id, branch) is None:
        return
    pulls = await forge.write(lambda writes: writes.pulls.of_branch(branch, base))
    await asyncio.to_thread(_note, store, repository_id, pulls)


def _note(store: Store, repository_id: RepositoryId, pulls: tuple[PullRequestState, ...]) -> None:
    for pull in pulls:
        if pull.state == "open":
            continue
        publication = store.publications.of_pull_request(repository_id, pull.number)
        if publication is not None and publication.end is None:
            how = PullRequestEnd.MERGED if pull.merged else PullRequestEnd.CLOSED
            store.publications.end(repository_id, pull.number, how, pull.merge_commit)
