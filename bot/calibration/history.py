"""What the history of one key amounts to: its estimate, and what its rejections still bind.

Judges nothing: which of this holds a change back is `bot.calibration.guards`' part.
"""

from __future__ import annotations

from bot.calibration.estimators import ESTIMATORS
from bot.calibration.hosts import medians, outliers
from bot.calibration.policies import Policy
from bot.calibration.window import Night, night_of
from bot.domain import Estimate, Flag, KeyHistory, Registration, Rejection, RejectionReason, Sample, Status, TimeoutRule

# Doubtful passes that wait for another night (`bot.calibration.doubts`).
SET_ASIDE = frozenset({RejectionReason.SKIPPED_RUN, RejectionReason.FALSE_PASS, RejectionReason.COLLAPSED})

# A pass of such a run is no sample, yet the same file did take that long on that hardware.
# Not TESTED_SHA_DIFFERS: there the identity check speaks of a commit that was not tested.
_KNOWN_PASS = frozenset({RejectionReason.UNTRUSTED_RUN, RejectionReason.HEAD_NOT_IN_BASE, RejectionReason.CARRIED_OVER})


def newest_sample(history: KeyHistory) -> Sample | None:
    """The sample of the newest night and, inside it, of the newest attempt.

    Its `row.head_sha` is the newest contributing head: the place to read the literal that a
    fresher human value is told from.
    """
    return max(history.samples, key=lambda s: (night_of(s).order, s.row.attempt, s.row.job_id), default=None)


def estimate_of(samples: tuple[Sample, ...], policy: Policy) -> Estimate | None:
    """The policy's estimate with what a reader needs to judge it; None where samples are too few."""
    seconds = [sample.elapsed_s for sample in samples]
    computed = ESTIMATORS[policy.estimator].compute(seconds, policy.params)
    if computed is None or not seconds:
        return None
    slowest = slowest_by_night(samples)
    by_age = [slowest[night] for night in sorted(slowest, key=lambda night: night.order, reverse=True)]
    return Estimate(
        value_s=computed.value_s,
        raw_s=float(computed.raw_s),
        method=policy.method,
        n=len(seconds),
        nights=len(slowest),
        hosts=len(medians(samples)),
        max_elapsed_s=max(seconds),
        spread_s=max(seconds) - min(seconds),
        drift_s=by_age[0] - by_age[1] if len(by_age) > 1 else 0,
        outliers=outliers(samples),
    )


def newest_nights(samples: tuple[Sample, ...], count: int | None) -> tuple[Sample, ...]:
    """The samples of the newest `count` nights in which the key passed; None: all of them."""
    if count is None:
        return samples
    nights = sorted({night_of(x) for x in samples}, key=lambda night: night.order, reverse=True)
    newest = {night.run_id for night in nights[:count]}
    return tuple(x for x in samples if x.row.run_id in newest)


def complete_nights(samples: tuple[Sample, ...]) -> int:
    """Nights with a pass in which every job log of the suite could be had."""
    partial = {sample.row.run_id for sample in samples if sample.partial}
    return len({sample.row.run_id for sample in samples} - partial)


def binding_timeouts(history: KeyHistory) -> tuple[Rejection, ...]:
    """Timeouts of the key in a file that is still the same."""
    return tuple(x for x in history.rejections if x.reason is RejectionReason.TIMEOUT and _usable(x))


def slowest_known_pass(history: KeyHistory, nights: int | None) -> int:
    """The slowest pass of the same file, samples or not, in seconds; 0 where there is none.

    Of the newest `nights` in which it is known to have passed; None: of all.
    """
    slowest = slowest_by_night(history.samples)
    for rejection in history.rejections:
        if _is_known_pass(rejection):
            night = night_of(rejection)
            slowest[night] = max(slowest.get(night, 0), rejection.row.elapsed_s or 0)
    newest = sorted(slowest, key=lambda night: night.order, reverse=True)[:nights]
    return max((slowest[night] for night in newest), default=0)


def flags_of(registration: Registration, history: KeyHistory, rule: TimeoutRule) -> tuple[Flag, ...]:
    """What a person should know about this key, in the order of `Flag`."""
    samples = history.samples
    slowest = max((sample.elapsed_s for sample in samples), default=0)
    found = {
        Flag.PASSES_ONLY_BY_LITERAL: slowest > rule.floor_s,
        Flag.COMMENT_MENTIONS_SECONDS: registration.comment_mentions_seconds,
        Flag.PARTITION_OVERLAP: _overlaps(samples),
        Flag.SINGLE_NIGHT: len({sample.row.run_id for sample in samples}) == 1,
        Flag.NO_PASS_ONLY_TIMEOUTS: not samples and bool(binding_timeouts(history)),
        Flag.UNCONFIRMED_PASS: any(x.reason in SET_ASIDE for x in history.rejections),
        Flag.OUTLIER_HOST: bool(outliers(samples)),
    }
    return tuple(flag for flag in Flag if found.get(flag))


def slowest_by_night(samples: tuple[Sample, ...]) -> dict[Night, int]:
    """The slowest pass of each night, in seconds."""
    slowest: dict[Night, int] = {}
    for sample in samples:
        night = night_of(sample)
        slowest[night] = max(slowest.get(night, 0), sample.elapsed_s)
    return slowest


def _overlaps(samples: tuple[Sample, ...]) -> bool:
    """True where one attempt passed the file in two jobs: two partitions hold it by mistake."""
    attempts = [(sample.row.run_id, sample.row.attempt) for sample in samples]
    return len(attempts) > len(set(attempts))


def _is_known_pass(rejection: Rejection) -> bool:
    return rejection.reason in _KNOWN_PASS and rejection.row.status is Status.PASSED and _usable(rejection)


def _usable(rejection: Rejection) -> bool:
    return rejection.identity is not None and rejection.identity.usable
