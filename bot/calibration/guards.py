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

_DUST = 1e-6  # seconds: 30 % of 1000 is 300, whatever binary fractions say


@dataclass(frozen=True, slots=True)
class Facts:
    """What the guard rails look at for one key inside the window.

    `nights` counts nights with a pass, `complete_nights` those whose (run, suite) is not partial,
    `timeouts` the timeouts that bind, `known_pass_s` is the slowest pass that binds (some of them
    are no samples). `head_literal` is the literal at the newest contributing head where a person
    has changed it since, else None. `declined_s` are the slowest passes that closed pull requests
    of ours rested on. `partial_nights` counts partial ones among the newest nights a lower needs.
    """

    literal: float
    value_s: int
    rule: TimeoutRule
    nights: int
    complete_nights: int
    timeouts: int = 0
    known_pass_s: float = 0.0
    head_literal: float | None = None
    slowest_s: float = 0.0
    declined_s: tuple[float, ...] = ()
    hosts: int = 1
    unconfirmed: int = 0
    partial_nights: int = 0

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
        found = GUARDS[guard](facts, policy) if guard in GUARDS else None
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
    return Hold(KeepReason.TIMEOUT_IN_WINDOW, _times(facts.timeouts))


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


def _declined(facts: Facts, policy: Policy) -> Hold | None:
    """A person closed the pull request; it is not proposed again until the evidence has moved."""
    same = [then for then in facts.declined_s if policy.needs.within_band(facts.slowest_s, then)]
    if not same:
        return None
    return Hold(KeepReason.DECLINED, f"{facts.slowest_s:g} s now, {same[0]:g} s when it was closed")


def _partial(facts: Facts, _policy: Policy) -> Hold | None:
    """No lower while a log of the suite is lost in the nights that the lower looks at."""
    if not facts.lowers or not facts.partial_nights:
        return None
    return Hold(KeepReason.PARTIAL_SUITE, f"{facts.partial_nights} of the newest nights")


def _collapse(facts: Facts, _policy: Policy) -> Hold | None:
    """No lower while a doubtful pass waits for a second night."""
    if not facts.lowers or not facts.unconfirmed:
        return None
    return Hold(KeepReason.UNCONFIRMED, f"{facts.unconfirmed} set aside in the window")


def _hosts(facts: Facts, policy: Policy) -> Hold | None:
    """A lower needs passes on so many runners."""
    need = policy.needs.hosts_lower
    if not facts.lowers or facts.hosts >= need:
        return None
    return Hold(KeepReason.TOO_FEW_HOSTS, f"{facts.hosts} of the {need} runners a lower needs")


def is_large_drop(literal: float, value: float, policy: Policy) -> bool:
    """True where a value is below what is left of a literal after the largest drop that two nights may cause.

    A drop inside the band is never large: for a test of seconds a fraction says nothing.
    """
    drop = literal - value
    return drop > literal * policy.needs.max_drop + _DUST and drop > policy.needs.band_s


def _drop(facts: Facts, policy: Policy) -> Hold | None:
    """A cut to a fraction needs more nights, or a person (sgl-project/sglang pull 22545: undone after two days)."""
    need = policy.needs.nights_drop
    if not is_large_drop(facts.literal, facts.value_s, policy) or facts.complete_nights >= need:
        return None
    percent = 100 * (1 - facts.value_s / facts.literal)
    detail = f"{percent:.0f} percent down, {facts.complete_nights} of the {need} nights it needs"
    return Hold(KeepReason.LARGE_DROP, detail)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


GUARDS: dict[Guard, Callable[[Facts, Policy], Hold | None]] = {
    Guard.HUMAN_VALUE: _human_value,
    Guard.DECLINED: _declined,
    Guard.NIGHTS: _nights,
    Guard.PARTIAL: _partial,
    Guard.COLLAPSE: _collapse,
    Guard.HOSTS: _hosts,
    Guard.DROP: _drop,
    Guard.TIMEOUT: _timeout,
    Guard.LIMIT: _limit,
}
