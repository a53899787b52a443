"""Holds back a suite whose files have moved together: another machine, or a question for a person.

Compares what the newest night measured with the nights right before it, never with the literals: a
first calibration, where most literals are off, is none. Runs after every registration is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bot.calibration.held import held_back
from bot.calibration.history import slowest_by_night
from bot.calibration.policies import Guard, Policy
from bot.calibration.window import Night, clip_all
from bot.domain import Backend, Decision, KeepReason, KeyHistory, Proposal, RegistrationKey, Suite

NIGHTS_BEFORE = 3  # two more nights at the new level, and it is what the suite takes


@dataclass(frozen=True, slots=True)
class MassChange:
    """One suite whose files moved one way. `factor` is the median of newest over before."""

    suite: Suite
    backend: Backend
    moved: int
    measured: int
    factor: float

    def __str__(self) -> str:
        way = "slower" if self.factor > 1 else "faster"
        return (
            f"{self.suite} ({self.backend}): {self.moved} of {self.measured} measured files became {way} in one night, "
            f"by a factor of {max(self.factor, 1 / self.factor):.2f} in the median"
        )


def mass_changes(histories: Mapping[RegistrationKey, KeyHistory], policy: Policy) -> tuple[MassChange, ...]:
    """The suites that moved together, by name; none where the policy does not ask."""
    if Guard.MASS_CHANGE not in policy.guards:
        return ()
    suites: dict[tuple[Suite, Backend], list[dict[Night, int]]] = {}
    for key, history in clip_all(histories, policy.window).items():
        if history.samples:
            suites.setdefault((key.suite, key.backend), []).append(slowest_by_night(history.samples))
    found = (_moved(group, files, policy) for group, files in sorted(suites.items()))
    return tuple(change for change in found if change is not None)


def _moved(group: tuple[Suite, Backend], files: Sequence[Mapping[Night, int]], policy: Policy) -> MassChange | None:
    needs = policy.needs
    newest = max((night for nights in files for night in nights), key=lambda night: night.order)
    factors = [factor for nights in files if (factor := _factor(nights, newest)) is not None]
    up = sum(factor > needs.mass_factor for factor in factors)
    down = sum(factor * needs.mass_factor < 1 for factor in factors)
    moved = max(up, down)
    if moved < needs.mass_files or moved <= needs.mass_share * len(factors):
        return None
    return MassChange(group[0], group[1], moved, len(factors), median(factors))


def _factor(nights: Mapping[Night, int], newest: Night) -> float | None:
    """The newest night over the median of those before it; None without either."""
    before = sorted((night for night in nights if night != newest), key=lambda night: night.order)[-NIGHTS_BEFORE:]
    if newest not in nights or not before:
        return None
    return max(1, nights[newest]) / max(1.0, median(nights[night] for night in before))


def hold_mass_changes(decisions: Sequence[Decision], changes: Sequence[MassChange]) -> tuple[Decision, ...]:
    """The decisions in their order; proposals of a suite that moved together become keeps."""
    by_suite = {(change.suite, change.backend): change for change in changes}
    return tuple(_held(x, by_suite) for x in decisions)


def _held(decision: Decision, by_suite: Mapping[tuple[Suite, Backend], MassChange]) -> Decision:
    key = decision.registration.key
    change = by_suite.get((key.suite, key.backend))
    if change is None or not isinstance(decision, Proposal):
        return decision
    return held_back(decision, KeepReason.MASS_CHANGE, f"{change.moved} of {change.measured} moved together")
