"""The calibration stage in its order: doubts set aside, keys decided, whole suites looked at. Pure.

Each part is a module of `bot.calibration`; what they are given is gathered by `bot.tasks.steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.calibration.answering import answer_for
from bot.calibration.decide import Surroundings, decide_all
from bot.calibration.doubts import set_aside_all, unconfirmed
from bot.calibration.immaterial import hold_immaterial
from bot.calibration.mass import hold_mass_changes, mass_changes
from bot.calibration.partition import partition_sizes
from bot.calibration.policies import Guard, Policy
from bot.calibration.window import Night
from bot.domain import (
    Decision,
    Keep,
    KeepReason,
    KeyHistory,
    Registration,
    RegistrationKey,
    Rejection,
    RunEvidence,
    Sample,
    Suite,
    TimeoutRule,
)

Judged = Sample | Rejection
Histories = Mapping[RegistrationKey, KeyHistory]


@dataclass(frozen=True, slots=True)
class Ground:
    """What decisions rest on beside the measurements. `known` needs no lost logs: those are in the runs."""

    runs: Sequence[RunEvidence]
    policy: Policy
    rule: Callable[[Suite], TimeoutRule]
    known: Surroundings


def settle_doubts(
    judged: Sequence[Judged], histories: Histories, policy: Policy
) -> tuple[tuple[Judged, ...], Histories]:
    """Judgements and histories without unconfirmed passes, where the policy asks for that."""
    if Guard.COLLAPSE not in policy.guards:
        return tuple(judged), histories
    settled = set_aside_all(histories, policy)
    aside = {one.row: one for history in settled.values() for one in unconfirmed(history)}
    return tuple(aside.get(one.row, one) for one in judged), settled


def decide(
    calls: Sequence[Registration], histories: Histories, ground: Ground
) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """One decision for every active call, and what a person is to be asked."""
    known = replace(ground.known, partial=_partial(ground))
    decisions = decide_all(calls, histories, ground.policy, ground.rule, known)
    changes = mass_changes(histories, ground.policy)
    decisions = hold_mass_changes(decisions, changes)
    questions = tuple(str(change) for change in changes if (change.suite, change.backend) in _asked(decisions))
    decisions = hold_immaterial(decisions, histories, ground.policy, partition_sizes(ground.runs))
    return answer_for(decisions, histories, ground.known.lowered, ground.policy.window, ground.rule), questions


def _partial(ground: Ground) -> dict[Suite, tuple[Night, ...]]:
    """The nights in which a log of a suite is lost; none where the policy does not ask."""
    found: dict[Suite, dict[Night, None]] = {}
    for one in ground.runs if Guard.PARTIAL in ground.policy.guards else ():
        for suite in sorted(one.partial):
            found.setdefault(suite, {})[Night(one.run.run_id, one.run.created_at)] = None
    return {suite: tuple(nights) for suite, nights in found.items()}


def _asked(decisions: Sequence[Decision]) -> set[tuple[str, str]]:
    """Suites of which something is held back for having moved together."""
    held = (x for x in decisions if isinstance(x, Keep) and x.reason is KeepReason.MASS_CHANGE)
    return {(x.registration.key.suite, x.registration.key.backend) for x in held}
