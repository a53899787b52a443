"""Samples and rejections, estimates, and the decisions that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.evidence import ScheduledFile
from bot.domain.ids import Backend, RunId, Suite, TestPath
from bot.domain.registrations import Identity, Registration, RegistrationKey


class RejectionReason(StrEnum):
    """Why a timing is not evidence."""

    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_RUN = "not_run"
    CARRIED_OVER = "carried_over"
    UNTRUSTED_RUN = "untrusted_run"  # not a configured nightly: it only reports
    TESTED_SHA_DIFFERS = "tested_sha_differs"
    HEAD_NOT_IN_BASE = "head_not_in_base"
    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"
    NO_REGISTRATION = "no_registration"  # nothing to edit
    SUITE_CHANGED = "suite_changed"
    DISABLED = "disabled"
    AMBIGUOUS_KEY = "ambiguous_key"
    OUTSIDE_WINDOW = "outside_window"
    IMPLICIT = "implicit"  # scheduled without a registration of its own: nothing to edit
    BUNDLE = "bundle"  # one time for several files in one process
    AWAY_FROM_HOME = "away_from_home"  # ran on a suite that the registration allows and is not at home in
    SEVERAL_SUITES = "several_suites"  # one value stands for passes of several suites
    PATH_NOT_RELATIVE = "path_not_relative"  # an absolute path that no checkout of the log explains
    NO_OWN_CHECKOUT = "no_own_checkout"  # another repository's job that shows no checkout of this one
    SKIPPED_RUN = "skipped_run"  # a pass whose output says that nothing ran
    FALSE_PASS = "false_pass"  # a pass whose output says errors; unconfirmed
    COLLAPSED = "collapsed"  # a pass far below the key's history; unconfirmed


@dataclass(frozen=True, slots=True)
class Sample:
    """A timing accepted as evidence for its key."""

    key: RegistrationKey
    row: ScheduledFile
    elapsed_s: int  # of the passing try
    identity: Identity
    night_at: datetime | None = None  # the run's created_at
    partial: bool = False  # its (run, suite) is partial


@dataclass(frozen=True, slots=True)
class Rejection:
    """A timing, or a missing one, that is not evidence. `key` is None where no registration matches."""

    row: ScheduledFile
    reason: RejectionReason
    key: RegistrationKey | None = None
    identity: Identity | None = None
    detail: str = ""
    night_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """Everything known about one registration key inside the window, newest night first."""

    key: RegistrationKey
    samples: tuple[Sample, ...] = ()
    rejections: tuple[Rejection, ...] = ()


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


@dataclass(frozen=True, slots=True)
class PartitionLoad:
    """A suite packed into ranks. `loads_s[i]` is rank i's sum of estimates, `measured_s[i]` of measured seconds."""

    loads_s: tuple[float, ...]
    members: tuple[tuple[TestPath, ...], ...]
    measured_s: tuple[float, ...]

    @property
    def makespan_s(self) -> float:
        """The largest rank's measured sum, in seconds."""
        return max(self.measured_s, default=0.0)

    @property
    def imbalance(self) -> float:
        """Makespan over mean; 1.0 for an empty suite."""
        mean = sum(self.measured_s) / len(self.measured_s) if self.measured_s else 0.0
        return self.makespan_s / mean if mean else 1.0

    @property
    def idle_s(self) -> float:
        """Seconds that ranks wait for the fullest one: ranks x makespan - sum."""
        return len(self.measured_s) * self.makespan_s - sum(self.measured_s)

    def over(self, budget_s: float) -> tuple[int, ...]:
        """The ranks that take longer than a budget; none for a budget of 0."""
        return tuple(rank for rank, seconds in enumerate(self.measured_s) if seconds > budget_s > 0)


@dataclass(frozen=True, slots=True)
class RankCount:
    """A number of ranks and the makespan it gives, in seconds."""

    ranks: int
    makespan_s: float


@dataclass(frozen=True, slots=True)
class SuitePartitions:
    """One suite's partitions at the present literals and at the proposed ones.

    `longest` is the test that bounds the makespan however many ranks there are, `longest_s` its seconds.
    `supported` is the least number of ranks at the proposed literals that stays within the budget, or
    without one within the present makespan; None where no number does. `gpus` 0: the suite names none.
    """

    suite: Suite
    backend: Backend
    size: int
    before: PartitionLoad
    after: PartitionLoad
    run_id: RunId
    unmeasured: tuple[TestPath, ...] = ()  # nothing passed in the window: scored in proportion to their estimate
    gpus: int = 0
    longest: TestPath = TestPath("")
    longest_s: float = 0.0
    budget_s: int = 0  # 0: none
    supported: RankCount | None = None


@dataclass(frozen=True, slots=True)
class LabelTotal:
    """The estimates of all active tests that carry a label, with the literals and labels before and after."""

    label: str
    backend: Backend
    tests: int  # that carry it afterwards
    before_s: float  # of those tests, so that a label that is only added moves nothing
    after_s: float
    changed: int  # est_time literals among them


class NotPackedReason(StrEnum):
    """Why a suite's partitions could not be planned."""

    PLAN_MISSING = "plan_missing"  # no run of the window shows the plan of every rank
    NOTHING_MEASURED = "nothing_measured"  # no file of it has a sample


@dataclass(frozen=True, slots=True)
class NotPacked:
    """A partitioned suite without a plan before and after."""

    suite: Suite
    backend: Backend
    reason: NotPackedReason
    detail: str = ""
