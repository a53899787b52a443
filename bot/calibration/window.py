"""Which nights count: the newest so many, none older than so many days before the newest.

Counted from the newest night's creation, never from a clock. What the nights measured is judged
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.calibration.policies import WindowRule
from bot.domain import KeyHistory, RegistrationKey, Rejection, RejectionReason, RunId, Sample

# Runs of these are no nights of the base: a window must not be counted back from them.
_NOT_A_NIGHT = frozenset(
    {RejectionReason.UNTRUSTED_RUN, RejectionReason.TESTED_SHA_DIFFERS, RejectionReason.HEAD_NOT_IN_BASE}
)


@dataclass(frozen=True, slots=True)
class Night:
    """One run id of a nightly, all its attempts together."""

    run_id: RunId
    at: datetime | None

    @property
    def order(self) -> tuple[float, int]:
        """Sorts nights by creation, then by run id (GitHub counts run ids upwards)."""
        return (self.at.timestamp() if self.at else 0.0, self.run_id)


def night_of(evidence: Sample | Rejection) -> Night:
    """The night a sample or a rejection belongs to."""
    return Night(evidence.row.run_id, evidence.night_at)


def nights_of(histories: Iterable[KeyHistory]) -> tuple[Night, ...]:
    """All nights the histories speak of, newest first."""
    found: dict[RunId, Night] = {}
    for history in histories:
        for sample in history.samples:
            found[sample.row.run_id] = night_of(sample)
        for rejection in history.rejections:
            if rejection.reason not in _NOT_A_NIGHT:
                found[rejection.row.run_id] = night_of(rejection)
    return tuple(sorted(found.values(), key=lambda night: night.order, reverse=True))


def inside(nights: tuple[Night, ...], rule: WindowRule | None) -> frozenset[RunId]:
    """The run ids of the nights (newest first) that the rule lets count.

    A night whose creation is unknown is counted by its place alone.
    """
    if rule is None:
        return frozenset(night.run_id for night in nights)
    newest = next((night.at for night in nights if night.at), None)
    kept = nights[: rule.nights]
    if rule.days is None or newest is None:
        return frozenset(night.run_id for night in kept)
    oldest = newest - timedelta(days=rule.days)
    return frozenset(night.run_id for night in kept if night.at is None or night.at >= oldest)


def clip_all(
    histories: Mapping[RegistrationKey, KeyHistory], rule: WindowRule | None
) -> dict[RegistrationKey, KeyHistory]:
    """All histories inside the window, counted back from the newest night any of them speaks of."""
    runs = inside(nights_of(histories.values()), rule)
    return {key: clip(history, runs) for key, history in histories.items()}


def clip(history: KeyHistory, runs: frozenset[RunId]) -> KeyHistory:
    """The history of those runs alone: older samples become rejections, older rejections go.

    Rejections of runs that are no nights stay: what they know of a slow pass still binds.
    """
    kept = tuple(sample for sample in history.samples if sample.row.run_id in runs)
    old = tuple(outside(sample) for sample in history.samples if sample.row.run_id not in runs)
    rejections = tuple(x for x in history.rejections if x.row.run_id in runs or x.reason in _NOT_A_NIGHT)
    return replace(history, samples=kept, rejections=rejections + old)


def outside(sample: Sample) -> Rejection:
    """A sample of a night that the window does not hold."""
    return Rejection(
        row=sample.row,
        reason=RejectionReason.OUTSIDE_WINDOW,
        key=sample.key,
        identity=sample.identity,
        night_at=sample.night_at,
    )
