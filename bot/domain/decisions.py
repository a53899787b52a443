"""Estimates, and what is decided by them: a proposal, or a keep with its reason. Nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.registrations import Registration
from bot.domain.samples import Sample


@dataclass(frozen=True, slots=True)
class HostMedian:
    """What one runner took for a key, beside the median of the other runners' medians, in seconds."""

    runner_name: str
    median_s: float
    others_s: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an estimator computed. `raw_s` is before rounding; `spread_s` is slowest minus fastest."""

    value_s: int
    raw_s: float
    method: str
    n: int
    nights: int
    hosts: int
    max_elapsed_s: int
    spread_s: int
    drift_s: int = 0  # newest night's slowest minus the previous night's
    outliers: tuple[HostMedian, ...] = ()  # hosts that are much slower or faster than the others


@dataclass(frozen=True, slots=True)
class TimeoutRule:
    """`max(floor_s, int(est_time * factor))`: the limit a suite runner puts on one file."""

    floor_s: int = 1800
    factor: float = 1.25

    def effective(self, est_time: float) -> int:
        """The effective timeout of a literal, in seconds."""
        return max(self.floor_s, int(est_time * self.factor))


class KeepReason(StrEnum):
    """Why a literal stays as it is."""

    EQUAL = "equal"
    NO_SAMPLE = "no_sample"
    CANNOT_EDIT = "cannot_edit"
    TOO_FEW_SAMPLES = "too_few_samples"  # measured, but fewer times than the estimator needs
    TOO_FEW_NIGHTS = "too_few_nights"
    TIMEOUT_IN_WINDOW = "timeout_in_window"
    LIMIT_BELOW_KNOWN_PASS = "limit_below_known_pass"
    HUMAN_VALUE_NEWER = "human_value_newer"
    OVER_CAP = "over_cap"  # pull_request.max_edits: larger changes go first
    IMMATERIAL = "immaterial"  # off, but changing it would change nothing that matters
    NEEDS_PERSON = "needs_person"  # no pass in the window, only timeouts: no measurement can say more
    TOO_FEW_HOSTS = "too_few_hosts"
    LARGE_DROP = "large_drop"
    PARTIAL_SUITE = "partial_suite"  # a job log of the suite is lost in the nights a lower looks at
    UNCONFIRMED = "unconfirmed"  # a doubtful pass is in the window
    DECLINED = "declined"  # a person closed it with this value, and the evidence has not moved
    MASS_CHANGE = "mass_change"  # most of the suite moved together
    OUR_LOWER_TIMED_OUT = "our_lower_timed_out"  # it timed out at a limit that a merged change of ours had lowered


class Flag(StrEnum):
    """What a person should know about a decision."""

    PASSES_ONLY_BY_LITERAL = "passes_only_by_literal"  # slower than the floor: the literal raises the limit
    COMMENT_MENTIONS_SECONDS = "comment_mentions_seconds"
    PARTITION_OVERLAP = "partition_overlap"  # one file passed in two jobs of one run
    SINGLE_NIGHT = "single_night"
    NO_PASS_ONLY_TIMEOUTS = "no_pass_only_timeouts"
    UNCONFIRMED_PASS = "unconfirmed_pass"  # a doubtful pass was set aside
    OUTLIER_HOST = "outlier_host"
    PROBE = "probe"  # not measured: a raise that lets a killed test show what it takes
    OUR_LOWER_TIMED_OUT = "our_lower_timed_out"  # back up at once: a merged change of ours had lowered its limit


@dataclass(frozen=True, slots=True)
class MergedLower:
    """A literal that a merged pull request of ours lowered. `pull` names it, such as `#12`."""

    before: float
    after: int
    pull: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one registration's est_time. `detail` says what a person must know of this one, mostly nothing."""

    registration: Registration
    estimate: Estimate
    after: int
    timeout_before_s: int
    timeout_after_s: int
    samples: tuple[Sample, ...]
    flags: tuple[Flag, ...] = ()
    detail: str = ""

    @property
    def action(self) -> str:
        """`raise` or `lower`."""
        return "raise" if self.after > self.registration.est_time else "lower"


@dataclass(frozen=True, slots=True)
class Keep:
    """No change, with the reason. `held` is the value that was not proposed because of it."""

    registration: Registration
    reason: KeepReason
    detail: str = ""
    estimate: Estimate | None = None
    held: int | None = None
    timeout_s: int = 0
    samples: tuple[Sample, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def action(self) -> str:
        """`keep`, or `skip` where nothing was measured or nothing may be edited."""
        unmeasured = (KeepReason.NO_SAMPLE, KeepReason.CANNOT_EDIT, KeepReason.NEEDS_PERSON)
        return "skip" if self.reason in unmeasured else "keep"


Decision = Proposal | Keep
