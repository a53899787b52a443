"""Holds back the proposals that do not matter to their suite, with their size as the detail.

Runs after every registration is decided, because what matters is a question about a whole suite;
which changes matter is `bot.calibration.material`'s answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TypeGuard

from bot.calibration.held import held_back
from bot.calibration.history import binding_timeouts, newest_nights, slowest_by_night, slowest_known_pass
from bot.calibration.material import Change, SuiteState, choose
from bot.calibration.policies import Policy
from bot.calibration.window import Night, clip_all, night_of
from bot.domain import (
    Backend,
    Decision,
    Flag,
    Keep,
    KeepReason,
    KeyHistory,
    Proposal,
    RegistrationKey,
    Suite,
    TestPath,
)

Group = tuple[Suite, Backend]


def hold_immaterial(
    decisions: Sequence[Decision],
    histories: Mapping[RegistrationKey, KeyHistory],
    policy: Policy,
    sizes: Mapping[Group, int],
) -> tuple[Decision, ...]:
    """The decisions in their order, immaterial proposals turned into keeps.

    All stay as they are where the policy asks for no materiality. `sizes` is the number of
    partitions by suite and backend (`partition.partition_sizes`); a suite that is not in it is one
    partition.
    """
    bands = policy.material
    if bands is None:
        return tuple(decisions)
    clipped = clip_all(histories, policy.window)
    chosen: set[tuple[Group, TestPath]] = set()
    for group, members in _suites(decisions).items():
        state = _state(members, clipped, policy, sizes.get(group, 1))
        chosen.update((group, path) for path in choose(state, bands))
    return tuple(_immaterial(x) if _may_go(x) and _place(x) not in chosen else x for x in decisions)


def _may_go(decision: Decision) -> TypeGuard[Proposal]:
    """True for a proposal that rests on measurements; a probe is about a limit alone."""
    return isinstance(decision, Proposal) and Flag.PROBE not in decision.flags


def _suites(decisions: Sequence[Decision]) -> dict[Group, list[Decision]]:
    """Decisions by suite; a literal that is no finite number is refused already and no load to add."""
    suites: dict[Group, list[Decision]] = {}
    for decision in decisions:
        if isfinite(decision.registration.est_time):
            suites.setdefault(_place(decision)[0], []).append(decision)
    return suites


def _place(decision: Decision) -> tuple[Group, TestPath]:
    key = decision.registration.key
    return (key.suite, key.backend), key.path


def _state(
    decisions: Sequence[Decision], histories: Mapping[RegistrationKey, KeyHistory], policy: Policy, size: int
) -> SuiteState:
    """A suite as materiality sees it: what its files took in the newest nights, killed ones too."""
    nights: dict[Night, dict[TestPath, float]] = {}
    for decision in decisions:
        key = decision.registration.key
        killed = binding_timeouts(histories[key]) if key in histories else ()
        for timeout in killed:
            nights.setdefault(night_of(timeout), {})[key.path] = float(timeout.row.elapsed_s or 0)
        for night, seconds in slowest_by_night(decision.samples).items():
            nights.setdefault(night, {})[key.path] = seconds
    newest = sorted(nights, key=lambda night: night.order, reverse=True)[: policy.nights_lower]
    return SuiteState(
        changes=tuple(_change(x, histories.get(x.registration.key), policy) for x in decisions),
        nights=tuple(nights[night] for night in newest),
        size=size,
    )


def _change(decision: Decision, history: KeyHistory | None, policy: Policy) -> Change:
    literal = decision.registration.est_time
    seconds = slowest_by_night(newest_nights(decision.samples, policy.nights_lower)).values()
    return Change(
        path=decision.registration.key.path,
        before=literal,
        after=float(decision.after) if isinstance(decision, Proposal) else literal,
        takes_s=sum(seconds) / len(seconds) if seconds else literal,
        slowest_s=slowest_known_pass(history, policy.binding) if history else 0.0,
        limit_s=decision.timeout_before_s if isinstance(decision, Proposal) else decision.timeout_s,
    )


def _immaterial(proposal: Proposal) -> Keep:
    moves = proposal.after - proposal.registration.est_time
    return held_back(proposal, KeepReason.IMMATERIAL, f"{moves:+g} s")
