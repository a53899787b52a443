"""The guard rails: reasons to hold a value back that the measurements alone would propose.

Each is a plain function from the facts of one key to a hold with its reason, or None; a policy
names those it wants. They never change a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from bot.calibration.policies import Guard, Policy
from bot.calibration.rounding import bucket
from bot.domain import KeepReason, TimeoutRule


@dataclass(frozen=True, slots=True)
class Facts:
    """What the guard rails look at for one key inside the window.

    `nights` counts nights with a pass, `complete_nights` those whose (run, suite) is not partial,
    `timeouts` the timeouts that bind, `known_pass_s` is the slowest pass that binds (some of them
    are no samples). `head_literal` is the literal at the newest contributing head where a person
    has changed it since, else None.
    """

    literal: float
    value_s: int
    rule: TimeoutRule
    nights: int
    complete_nights: int
    timeouts: int = 0
    known_pass_s: float = 0.0
    head_literal: float | None = None

    @property
    def lowers(self) -> bool:
        """True where the value is below the literal."""
        return self.value_s < self.literal


@dataclass(frozen=True, slots=True)
class Hold:
    """A value is held back, for this reason."""

    reason: KeepReason
    detail: str


def least_clearing(rule: TimeoutRule, pass_s: float) -> int:
    """The smallest literal in the rule's buckets whose limit is above a pass.

    0 where the floor alone clears it. `factor` is at least 1, so that one bucket more makes up for
    a limit that is exactly the pass.
    """
    if rule.floor_s > pass_s:
        return 0
    literal = bucket(ceil(pass_s / rule.factor))
    return literal if rule.effective(literal) > pass_s else bucket(literal + 1)


def hold(facts: Facts, policy: Policy) -> Hold | None:
    """The first of the policy's guard rails that holds the value back; None where none does."""
    for guard in policy.guards:
        found = GUARDS[guard](facts, policy)
        if found:
            return found
    return None


def _human_value(facts: Facts, _policy: Policy) -> Hold | None:
    """A person wrote another literal after the newest measured head: theirs is fresher."""
    if facts.head_literal is None or facts.head_literal == facts.literal:
        return None
    detail = f"{facts.head_literal:g} at the newest measured head, {facts.literal:g} at the base"
    return Hold(KeepReason.HUMAN_VALUE_NEWER, detail)


def _nights(facts: Facts, policy: Policy) -> Hold | None:
    """A raise counts every night with a pass; a lower only nights whose suite is complete."""
    have, need = (facts.complete_nights, policy.nights_lower) if facts.lowers else (facts.nights, policy.nights_raise)
    if have >= need:
        return None
    direction = "complete nights a lower" if facts.lowers else "nights a raise"
    return Hold(KeepReason.TOO_FEW_NIGHTS, f"{have} of the {need} {direction} needs")


def _timeout(facts: Facts, _policy: Policy) -> Hold | None:
    """No lower while the key has timed out in the window."""
    if not facts.lowers or not facts.timeouts:
        return None
    return Hold(KeepReason.TIMEOUT_IN_WINDOW, f"timed out {_times(facts.timeouts)} in the window")


def _limit(facts: Facts, _policy: Policy) -> Hold | None:
    """The limit after a lower must be above every known pass.

    Above, not equal: the End record rounds to the nearest second, so that a pass of 1800 s may
    have taken 1800.4 s, which a limit of 1800 s kills.
    """
    limit = facts.rule.effective(facts.value_s)
    if not facts.lowers or limit > facts.known_pass_s:
        return None
    return Hold(
        KeepReason.LIMIT_BELOW_KNOWN_PASS, f"a limit of {limit} s does not clear a pass of {facts.known_pass_s:g} s"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


GUARDS: dict[Guard, Callable[[Facts, Policy], Hold | None]] = {
    Guard.HUMAN_VALUE: _human_value,
    Guard.NIGHTS: _nights,
    Guard.TIMEOUT: _timeout,
    Guard.LIMIT: _limit,
}
