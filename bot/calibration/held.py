"""The keep that a proposal becomes when something beyond its own key holds it back."""

from __future__ import annotations

from bot.domain import Keep, KeepReason, Proposal


def held_back(proposal: Proposal, reason: KeepReason, detail: str = "") -> Keep:
    """The proposal's value, not proposed for this reason."""
    return Keep(
        registration=proposal.registration,
        reason=reason,
        detail=detail,
        estimate=proposal.estimate,
        held=proposal.after,
        timeout_s=proposal.timeout_before_s,
        samples=proposal.samples,
        flags=proposal.flags,
    )
