"""What merged pull requests of ours wrote: their values are ours, and what they lowered is answered for.

Ours is what is part of the base, told by ancestry. What becomes of it is decided by the calibration.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain import CommitSha, MergedLower, Proposal, RegistrationKey, RepositoryId
from bot.publish.names import rolling_branch
from bot.store.open import Store
from bot.tasks.ports import Forge

MERGED_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class MergedProposals:
    """What one merged pull request of ours, such as `#12`, wrote."""

    pull: str
    proposals: tuple[Proposal, ...]


def published(merged: Iterable[MergedProposals]) -> Mapping[RegistrationKey, float]:
    """The value that was written last, by key; `merged` newest first.

    A literal that went back to an older value of ours was put there by a person.
    """
    found: dict[RegistrationKey, float] = {}
    for one in merged:
        for proposal in one.proposals:
            found.setdefault(proposal.registration.key, float(proposal.after))
    return found


def lowered(merged: Iterable[MergedProposals]) -> Mapping[RegistrationKey, tuple[MergedLower, ...]]:
    """What was lowered, by key, in the order given."""
    found: dict[RegistrationKey, list[MergedLower]] = {}
    for one in merged:
        for proposal in one.proposals:
            if proposal.action == "lower":
                literal = proposal.registration
                lower = MergedLower(literal.est_time, proposal.after, one.pull)
                found.setdefault(literal.key, []).append(lower)
    return {key: tuple(lowers) for key, lowers in found.items()}


async def merged_proposals(
    forge: Forge, store: Store, repository_id: RepositoryId, base: str, base_sha: CommitSha
) -> tuple[MergedProposals, ...]:
    """What the last merged pull requests wrote, where their merge is part of the base, newest first."""
    merged = await asyncio.to_thread(store.publications.merged, repository_id, rolling_branch(base), MERGED_LOOKED_AT)
    found: dict[int | None, MergedProposals] = {}
    for one in merged:
        if one.merge_commit is None or one.evaluation_id is None or one.pull_request in found:
            continue
        if not await forge.files.is_ancestor(one.merge_commit, base_sha):
            continue
        evaluation = await asyncio.to_thread(store.evaluations.find, one.evaluation_id)
        proposals = tuple(x for x in evaluation.decisions if isinstance(x, Proposal)) if evaluation else ()
        found[one.pull_request] = MergedProposals(f"#{one.pull_request}", proposals)
    return tuple(found.values())
