"""What one decision rests on, in words without markup: an answer writes it as Markdown, a page as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import Decision, Estimate, Proposal
from bot.publish.markdown import plural
from bot.publish.wording import FLAG, KEEP, words


@dataclass(frozen=True, slots=True)
class Reasons:
    """Sentences without their full stops. `detail` and `method` may be foreign text."""

    verdict: str
    limit: str
    why: str = ""  # "" for a proposal: what was measured is why
    detail: str = ""
    held: str = ""
    method: str = ""  # "" where nothing was estimated
    measured: str = ""
    flags: tuple[str, ...] = ()


def reasons(decision: Decision) -> Reasons:
    """The words of a decision."""
    estimate = decision.estimate
    flags = tuple(words(FLAG, flag) for flag in decision.flags)
    method, measured = (estimate.method, _measured(estimate)) if estimate else ("", "")
    if isinstance(decision, Proposal):
        return Reasons(
            verdict=f"{decision.action.capitalize()} to {decision.after}",
            limit=timeout_limit(decision),
            method=method,
            measured=measured,
            flags=flags,
        )
    held = f"the measurements alone would say {decision.held}" if decision.held is not None else ""
    limit = f"Timeout limit {decision.timeout_s} s"
    why = words(KEEP, decision.reason)
    return Reasons("Not changed", limit, why, decision.detail, held, method, measured, flags)


def timeout_limit(proposal: Proposal) -> str:
    """What the change does to the moment at which the runner kills the file."""
    before, after = proposal.timeout_before_s, proposal.timeout_after_s
    return f"Timeout limit {before} s as before" if before == after else f"Timeout limit {before} s now, {after} s then"


def _measured(estimate: Estimate) -> str:
    return (
        f"{plural(estimate.n, 'pass', 'passes')} in {plural(estimate.nights, 'night')}, "
        f"the slowest of {estimate.max_elapsed_s} s, say {estimate.value_s}"
    )
