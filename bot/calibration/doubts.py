"""Sets doubtful passes aside until another night confirms them.

Doubtful is a pass whose own output says that nothing ran or that there were errors, and one far
below what the key took before. Which passes are evidence at all is the evidence stage's part; that
no estimate is lowered while one waits is `bot.calibration.guards`'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from bot.calibration.history import SET_ASIDE, slowest_by_night
from bot.calibration.policies import Needs, Policy
from bot.calibration.window import night_of
from bot.domain import Doubt, KeyHistory, RegistrationKey, Rejection, RejectionReason, Sample


def set_aside_all(histories: Mapping[RegistrationKey, KeyHistory], policy: Policy) -> dict[RegistrationKey, KeyHistory]:
    """Every history without its unconfirmed passes, which become rejections."""
    return {key: set_aside(history, policy) for key, history in histories.items()}


def set_aside(history: KeyHistory, policy: Policy) -> KeyHistory:
    """The history without its unconfirmed passes.

    A pass that says that nothing ran never measures, however often it comes: what confirms it is a
    night that takes as long and does not say so. One that says errors, or that is far below the
    nights before it, counts from the second such night on.
    """
    doubtful = _by_output(history.samples, policy)
    rest = tuple(sample for sample in history.samples if sample not in doubtful)
    nights = slowest_by_night(rest)
    order = sorted(nights, key=lambda night: night.order)
    fallen = {order[i] for i in collapsed([nights[night] for night in order], policy.needs)}
    doubtful |= {x: RejectionReason.COLLAPSED for x in rest if night_of(x) in fallen}
    if not doubtful:
        return history
    aside = tuple(_aside(sample, reason) for sample, reason in doubtful.items())
    kept = tuple(sample for sample in history.samples if sample not in doubtful)
    return replace(history, samples=kept, rejections=history.rejections + aside)


def collapsed(seconds: Sequence[float], needs: Needs) -> frozenset[int]:
    """Places (oldest first) that are below a share of the median before them, where only one is.

    Two such nights confirm each other: the test has become fast. A difference inside the band is none.
    """
    before: list[float] = []
    fallen: list[int] = []
    for place, value in enumerate(seconds):
        usual = median(before) if before else 0.0
        if value < needs.collapse * usual and usual - value > needs.band_s:
            fallen.append(place)
        else:
            before.append(value)
    return frozenset(fallen) if len(fallen) == 1 else frozenset()


def unconfirmed(history: KeyHistory) -> tuple[Rejection, ...]:
    """The passes that were set aside."""
    return tuple(x for x in history.rejections if x.reason in SET_ASIDE)


def _by_output(samples: Sequence[Sample], policy: Policy) -> dict[Sample, RejectionReason]:
    found: dict[Sample, RejectionReason] = {}
    for sample in samples:
        others = [x for x in samples if night_of(x) != night_of(sample)]
        if sample.row.doubt is Doubt.ERRORS and not _confirmed(sample, others, policy):
            found[sample] = RejectionReason.FALSE_PASS
        real = [x for x in others if x.row.doubt is None]
        if sample.row.doubt in (Doubt.SKIPPED, Doubt.NO_TESTS) and not _confirmed(sample, real, policy):
            found[sample] = RejectionReason.SKIPPED_RUN
    return found


def _confirmed(sample: Sample, others: Iterable[Sample], policy: Policy) -> bool:
    return any(policy.needs.within_band(other.elapsed_s, sample.elapsed_s) for other in others)


def _aside(sample: Sample, reason: RejectionReason) -> Rejection:
    line = sample.row.doubt_line
    said = f"its output says {sample.row.doubt.value.replace('_', ' ')}" if sample.row.doubt else ""
    return Rejection(
        row=sample.row,
        reason=reason,
        key=sample.key,
        identity=sample.identity,
        detail=f"{said}, line {line}" if said and line else said,
        night_at=sample.night_at,
    )
