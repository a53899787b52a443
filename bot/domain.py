"""The words of the program as frozen values: what the stages hand to one another.

No I/O and no third-party library here. Times are whole or float seconds (suffix `_s`);
lines are 1-based over LF; paths are POSIX and relative to the repository's root.
The words are those of docs/architecture.md, "Words".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

RepositoryId = NewType("RepositoryId", int)
RunId = NewType("RunId", int)
JobId = NewType("JobId", int)
CommitSha = NewType("CommitSha", str)  # 40 lowercase hex digits
BlobSha = NewType("BlobSha", str)  # 40 lowercase hex digits
TestPath = NewType("TestPath", str)
Suite = NewType("Suite", str)
Backend = NewType("Backend", str)  # "cuda" in register_cuda_ci


# --------------------------------------------------------------------------- evidence


class Status(StrEnum):
    """What became of one scheduled file. Only `PASSED` measures (docs/architecture.md, "Evidence")."""

    PASSED = "passed"
    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_RUN = "not_run"


class LogState(StrEnum):
    """What the source of runs could give for one job's log."""

    PRESENT = "present"
    EMPTY = "empty"  # zero bytes where a log should be
    GONE = "gone"  # 404 or 410, or an artifact that names it incomplete
    FORBIDDEN = "forbidden"  # 403: a missing permission
    NEVER = "never"  # a skipped job, or one without steps: there never was a log

    @property
    def lost(self) -> bool:
        """True for a log that should exist and cannot be had: its suite is partial."""
        return self in (LogState.EMPTY, LogState.GONE, LogState.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of one workflow run. The identity of work is (repository, run id, attempt).

    `created_at` is the run's, equal for all attempts; `started_at` is this attempt's
    `run_started_at`. Both may be None where the source does not say. `trusted` says that the
    run may lead to edits: a configured nightly, or a run a person named.
    """

    repository: str  # owner/name
    run_id: RunId
    attempt: int
    head_sha: CommitSha
    created_at: datetime | None = None
    started_at: datetime | None = None
    event: str = ""
    head_branch: str = ""
    workflow: str = ""
    conclusion: str = ""
    url: str = ""
    trusted: bool = True
    measures: str = ""  # owner/name of the repository it tests, where that is another one


@dataclass(frozen=True, slots=True)
class Job:
    """One Actions job of one attempt."""

    job_id: JobId
    name: str
    attempt: int
    conclusion: str  # success, failure, cancelled, timed_out, skipped, …; "" while unknown
    started_at: datetime | None = None
    completed_at: datetime | None = None
    runner_name: str = ""
    steps: int | None = None  # None where the source does not say; 0: it never ran, so there is no log


@dataclass(frozen=True, slots=True)
class JobLog:
    """A job and its complete log on disk (`path` is an absolute file name, "" where there is none)."""

    job: Job
    state: LogState
    path: str = ""
    sha256: str = ""
    size: int = 0  # bytes
    lines: int = 0  # LF bytes
    reason: str = ""  # why it is not PRESENT


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One line of a plan: a file scheduled with the estimate the runner read."""

    path: TestPath
    est_s: float
    line: int
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What one job set out to execute. `partition_id` is zero-based."""

    suite: Suite
    backend: Backend
    partition_id: int
    partition_size: int
    line: int
    files: tuple[PlannedFile, ...]
    disabled: tuple[TestPath, ...] = ()
    cadence: str = ""


class Outcome(StrEnum):
    """How the suite runner itself called one try of one file."""

    PASS = "PASS"
    FAIL = "FAIL"
    TIMEOUT = "TIMEOUT"


@dataclass(frozen=True, slots=True)
class Try:
    """One try of one file inside a job (the second is a retry).

    `elapsed_s` is the End record's value; `status_elapsed_s` the status line's, which truncates.
    A missing record leaves its fields None.
    """

    number: int
    outcome: Outcome | None = None
    elapsed_s: int | None = None
    status_elapsed_s: int | None = None
    exit_code: int | None = None
    timing_line: int | None = None
    status_line: int | None = None


class Doubt(StrEnum):
    """What the output of a passed file says against its being a measurement."""

    SKIPPED = "skipped"  # every test of it was skipped
    NO_TESTS = "no_tests"  # no test ran
    ERRORS = "errors"  # tests failed or had errors, and the file passed all the same


class Contradiction(StrEnum):
    """Records of one file that cannot all be the suite runner's."""

    MORE_ENDS_THAN_BEGINS = "more_ends_than_begins"
    MORE_STATUSES_THAN_ENDS = "more_statuses_than_ends"
    TOO_MANY_RECORDS = "too_many_records"  # the log floods its reader
    TRIES_DIFFER = "tries_differ"  # several End records, and the summary does not say as many tries
    UNREADABLE_BLOCK = "unreadable_block"  # the log's timing block cannot be read


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Everything a log dialect read about one scheduled file."""

    tries: tuple[Try, ...] = ()
    begun: int = 0  # Begin records seen
    passed_line: int | None = None  # its line under PASSED:
    failed_line: int | None = None  # its line under FAILED:
    failed_reason: str = ""
    contradiction: Contradiction | None = None


class LogNote(StrEnum):
    """Something a whole log says that a person should see beside its rows."""

    PLANS_DIFFER = "plans_differ"  # list-only plan and executed plan are not the same
    NO_TESTS = "no_tests"  # the suite scheduled nothing
    NO_PLAN = "no_plan"  # a suite job whose log ends before any plan
    NO_PER_FILE_TIMING = "no_per_file_timing"  # a plan executed in one session
    NO_SUMMARY = "no_summary"
    PLAN_SHORT = "plan_short"  # fewer files listed than the plan's header counts
    TOO_MANY_RECORDS = "too_many_records"  # a log that floods the reader: its summary is not believed
    BLOCK_UNREADABLE = "block_unreadable"  # markers of a timing block without a block that can be read
    NO_BLOCK = "no_block"  # the log ends before its timing block


@dataclass(frozen=True, slots=True)
class Checkout:
    """One commit that a job's checkout step fetched; `repository` is "" where the log does not say.

    `directory` is the absolute path it was put at, "" where the log does not show it.
    """

    repository: str
    sha: CommitSha
    directory: str = ""


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """What one log dialect read from one job log; no judgement yet.

    `plan` is the executed one; `records` is keyed by planned path; `summary_line` is the final
    summary's, None without one. `tested_sha` is the commit that the first checkout fetched, None
    where the log does not show it.
    """

    dialect: str
    plan: Plan | None
    records: Mapping[TestPath, FileRecord] = field(default_factory=dict)
    summary_line: int | None = None
    tested_sha: CommitSha | None = None
    runner_name: str = ""
    job_name: str = ""
    notes: tuple[LogNote, ...] = ()
    unscheduled: tuple[TestPath, ...] = ()  # records of files no plan lists
    checkouts: tuple[Checkout, ...] = ()  # in log order; the tested one is the run's own repository's


@dataclass(frozen=True, slots=True)
class ScheduledFile:
    """One row of evidence: one scheduled file of one job."""

    run_id: RunId
    attempt: int
    head_sha: CommitSha
    job_id: JobId
    job_name: str
    suite: Suite
    backend: Backend
    partition_id: int
    partition_size: int
    plan_index: int
    path: TestPath
    status: Status
    elapsed_s: int | None
    logged_est_s: float
    plan_line: int
    timing_line: int | None = None
    status_line: int | None = None
    summary_line: int | None = None
    tries: int = 0
    runner_name: str = ""
    note: str = ""
    implicit: bool = False
    doubt: Doubt | None = None  # what a pass's own output says against it
    doubt_line: int | None = None


@dataclass(frozen=True, slots=True)
class JobEvidence:
    """One job after classification. `carried_from` names the job of an earlier attempt it repeats."""

    log: JobLog
    dialect: str = ""
    plan: Plan | None = None
    tested_sha: CommitSha | None = None
    rows: tuple[ScheduledFile, ...] = ()
    notes: tuple[LogNote, ...] = ()
    carried_from: JobId | None = None


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """One attempt of one run. `partial` holds suites with a log that should exist and cannot be had."""

    run: Run
    jobs: tuple[JobEvidence, ...]
    partial: frozenset[Suite] = frozenset()

    @property
    def rows(self) -> tuple[ScheduledFile, ...]:
        """All rows in job and plan order, those of carried-over jobs included."""
        return tuple(row for job in self.jobs for row in job.rows)


# ---------------------------------------------------------------------- registrations


@dataclass(frozen=True, slots=True, order=True)
class RegistrationKey:
    """What history accumulates under."""

    path: TestPath
    backend: Backend
    suite: Suite

    def __str__(self) -> str:
        return f"{self.path} [{self.backend}, {self.suite}]"


class EditRefusal(StrEnum):
    """Why a call, or one of its literals, cannot be edited safely."""

    ALIASED_IMPORT = "aliased_import"
    ATTRIBUTE_CALL = "attribute_call"
    NOT_TOP_LEVEL = "not_top_level"
    STARRED_ARGUMENTS = "starred_arguments"
    TOO_MANY_POSITIONALS = "too_many_positionals"
    DUPLICATE_ARGUMENT = "duplicate_argument"
    EST_TIME_NOT_LITERAL = "est_time_not_literal"
    EST_TIME_NOT_A_NUMBER = "est_time_not_a_number"  # True, "600", None
    EST_TIME_NOT_POSITIVE = "est_time_not_positive"
    EST_TIME_MISSING = "est_time_missing"
    SUITE_NOT_LITERAL = "suite_not_literal"
    LABELS_NOT_A_LIST = "labels_not_a_list"  # a tuple or a string: the registry rejects the file
    LABELS_NOT_LITERAL = "labels_not_literal"
    NO_LABEL_LIST = "no_label_list"  # absent or None
    AMBIGUOUS_KEY = "ambiguous_key"
    UNDECODABLE = "undecodable"
    UNKNOWN_GRAMMAR = "unknown_grammar"
    NOT_A_REGULAR_FILE = "not_a_regular_file"  # symlink or submodule
    NAME_DEFINED_HERE = "name_defined_here"  # the file itself binds the registering function's name
    LABEL_WOULD_GO = "label_would_go"  # the wanted list lacks, or moves, a present label
    LABEL_NOT_WRITABLE = "label_not_writable"  # a label that no plain string literal of the file can hold
    FILE_TOO_LARGE = "file_too_large"
    EDIT_CHECK_FAILED = "edit_check_failed"
    MEASURED_AS_BUNDLE = "measured_as_bundle"  # runs in one process with others: no time of its own
    TEST_FILE_GONE = "test_file_gone"  # an entry for a file that the base does not have
    SECTION_MISSING = "section_missing"  # the configured part of a file of estimates is not there
    PROTECTED_PATH = "protected_path"  # below .github, which is never written


@dataclass(frozen=True, slots=True)
class Registration:
    """One `register_*_ci(...)` call that could be read.

    `index` counts the calls of the file from 0 in source order and, with the blob, names the
    call for editing. `est_text` is the literal as written. `labels` is None where the call has
    no literal list. `est_refusal` and `label_refusal` say that one literal cannot be edited;
    such a registration still counts as one.
    """

    key: RegistrationKey
    blob: BlobSha
    index: int
    line: int  # of the call
    end_line: int
    est_line: int
    est_time: float
    est_text: str
    labels: tuple[str, ...] | None = ()
    nightly: bool = False
    disabled: str | None = None  # the reason; None means active
    hardware: tuple[str, ...] = ()  # what else the call says it may run on, away from its home suite
    source: TestPath = TestPath("")  # the file that holds the literal, where it is not the test file itself
    est_refusal: EditRefusal | None = None
    label_refusal: EditRefusal | None = None
    comment_mentions_seconds: bool = False  # a comment beside the call names another measurement

    @property
    def active(self) -> bool:
        """True where the suite runner schedules it."""
        return self.disabled is None

    @property
    def file(self) -> TestPath:
        """The file that an edit would change."""
        return self.source or self.key.path


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call, or (with `line` 0) a whole file, that could not be read as a registration."""

    path: TestPath
    line: int
    reason: EditRefusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceRegistrations:
    """All registrations of one file at one blob."""

    path: TestPath
    blob: BlobSha
    registrations: tuple[Registration, ...] = ()
    refused: tuple[RefusedCall, ...] = ()


class Identity(StrEnum):
    """Is the test file at the run's head the one at the pull request's base?"""

    IDENTICAL = "identical"
    REGISTRATION_ONLY = "registration_only"
    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"

    @property
    def usable(self) -> bool:
        """True where a measurement at the head speaks for the file at the base."""
        return self in (Identity.IDENTICAL, Identity.REGISTRATION_ONLY)


@dataclass(frozen=True, slots=True)
class IdentityCheck:
    """The verdict for one file between one head and the base, with the blobs it rests on."""

    path: TestPath
    head_sha: CommitSha
    verdict: Identity
    blob_at_head: BlobSha | None
    blob_at_base: BlobSha | None
    moved_to: TestPath | None = None


# ------------------------------------------------------------------------ calibration


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


# ------------------------------------------------------------------------------- edit


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Labels to insert into one registration's literal list, with the rule that asks for them."""

    registration: Registration
    add: tuple[str, ...]
    after: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class LabelSuggestion:
    """A test whose siblings all carry labels it lacks. Named in the report, never edited."""

    registration: Registration
    missing: tuple[str, ...]
    siblings: tuple[TestPath, ...]


class LabelRefusal(StrEnum):
    """Why a label rule was not carried out for a call."""

    UNKNOWN_LABEL = "unknown_label"  # not in the label registry
    NO_REGISTRY = "no_registry"
    CANNOT_EDIT = "cannot_edit"
    OVER_CAP = "over_cap"  # pull_request.max_edits: larger changes go first


@dataclass(frozen=True, slots=True)
class RefusedLabels:
    """A label rule that applies to a call and cannot be carried out."""

    registration: Registration
    reason: LabelRefusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LabelSelection:
    """The tests that one inserted label newly selects.

    `added_s` is their sum in seconds: the slowest accepted pass of each, or its estimate where it has none.
    """

    label: str
    keys: tuple[RegistrationKey, ...]
    added_s: float


@dataclass(frozen=True, slots=True)
class LiteralChange:
    """What to write into one call: a new est_time, a new label list, or both (None: leave)."""

    path: TestPath
    blob: BlobSha
    index: int
    est_time: int | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file before and after, proved to differ in the planned literals only."""

    path: TestPath
    before: bytes
    after: bytes
    changes: tuple[LiteralChange, ...]
    mode: str = "100644"  # git's, kept as it is at the base


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """A planned change that was not carried out."""

    change: LiteralChange
    reason: EditRefusal
    detail: str = ""


# ---------------------------------------------------------------- what a night is asked "why"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a test came by its own account: `done` of `total`, such as rollouts.

    `restarts` counts how often the count began again: then it is the last launch's alone.
    """

    unit: str  # the pattern's words before the numbers
    done: int
    total: int
    line: int
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """One phase as the log's perf dictionaries name it; phases may hold one another.

    `seconds` is the mean of a step, `share` its part of the whole step (of all phases where none is the step).
    """

    name: str
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class LaunchFact:
    """Something the log says about how a test was launched. `line` 0: that no line says it."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class MatrixPart:
    """One configuration of a sweep with its own time, as the test printed it."""

    name: str
    elapsed_s: int
    passed: bool
    line: int


@dataclass(frozen=True, slots=True)
class RowTrace:
    """What a test's own output says about how its time was spent. Empty where it says nothing."""

    progress: Progress | None = None
    phases: tuple[PhaseTime, ...] = ()  # the largest first
    facts: tuple[LaunchFact, ...] = ()
    parts: tuple[MatrixPart, ...] = ()


@dataclass(frozen=True, slots=True)
class PastTry:
    """One earlier or later run of the same test on the same suite."""

    run_id: RunId
    attempt: int
    job_id: JobId
    status: Status
    elapsed_s: int | None
    limit_s: int
    head_sha: CommitSha
    night_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CommitNote:
    """One commit that touched a file. `subject` is foreign text."""

    sha: CommitSha
    subject: str
    at: datetime | None = None


Constant = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A literal list of configurations that a test sweeps: `rows[i][0]` is a name, the others its levels."""

    path: TestPath
    name: str  # the variable's
    line: int
    rows: tuple[tuple[Constant, ...], ...]


class MatrixRefusal(StrEnum):
    """Why two files' matrices cannot be split between them."""

    SAME_FILE = "same_file"
    NO_SUCH_FILE = "no_such_file"  # or none that carries a registration
    NO_MATRIX = "no_matrix"  # no literal list of rows that begin with a name
    SEVERAL_MATRICES = "several_matrices"
    NOT_MEASURED = "not_measured"  # no accepted pass that printed a time for every row
    DIFFERENT_CELLS = "different_cells"  # the two do not sweep the same levels
    TOO_LARGE = "too_large"
    NO_SPLIT = "no_split"  # no half of the cells holds every level of every factor
    TOO_FEW_SAMPLES = "too_few_samples"  # the policy's estimator wants more than one value
    NOT_REMOVABLE = "not_removable"  # the rows stand so that taking some away would change more


@dataclass(frozen=True, slots=True)
class RefusedMatrix:
    """A "no" to a question about matrices, with the file it is about."""

    reason: MatrixRefusal
    path: TestPath = TestPath("")
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SweptFile:
    """A file with its matrix as it was measured: seconds of each row (the slowest), and of the whole (likewise)."""

    matrix: Matrix
    registration: Registration
    parts_s: tuple[int, ...]
    whole_s: int
    gpus: int = 0  # 0: the suite names none


@dataclass(frozen=True, slots=True)
class KeptRows:
    """What one file would keep: indices into its rows, the predicted seconds and the literal that follows."""

    rows: tuple[int, ...]
    seconds: int
    literal: int


@dataclass(frozen=True, slots=True)
class MatrixSplit:
    """One way to share the cells out: every level stays in each file, every cell stays in one of them."""

    kept: tuple[KeptRows, KeptRows]
    saved_s: int  # a night, against the slowest passes
    saved_gpu_s: int | None  # None: a suite names no GPUs


@dataclass(frozen=True, slots=True)
class MatrixAnswer:
    """All splits of two files, the cheapest first; `left_out` counts those beyond the ones that are told."""

    files: tuple[SweptFile, SweptFile]
    splits: tuple[MatrixSplit, ...]
    left_out: int = 0
    totals: tuple[tuple[LabelTotal, ...], ...] = ()  # of the labels both files carry, one entry a split


@dataclass(frozen=True, slots=True)
class MatrixPair:
    """Two files that sweep the same cells, of which the first is among the longest: a split may pay."""

    first: TestPath
    second: TestPath
    cells: int
    slowest_s: tuple[int, int | None]  # the slowest accepted pass of each


class LimitKind(StrEnum):
    """Why a row is explained."""

    TIMED_OUT = "timed_out"
    NEAR_LIMIT = "near_limit"  # it passed, within a tenth of its limit


def limit_kind(row: ScheduledFile, rule: TimeoutRule) -> LimitKind | None:
    """Why a row needs an explanation; None where it does not. The limit is that of the literal the runner read."""
    if row.status is Status.TIMEOUT:
        return LimitKind.TIMED_OUT
    if row.status is Status.PASSED and (row.elapsed_s or 0) * 10 >= rule.effective(row.logged_est_s) * 9:
        return LimitKind.NEAR_LIMIT
    return None


@dataclass(frozen=True, slots=True)
class LimitAnswer:
    """Later passes that answer a finding. `literal_s` is the rule's for the slowest of them."""

    passes: tuple[PastTry, ...]  # oldest first
    trace: RowTrace  # of the newest
    literal_s: int
    nights: int
    nights_needed: int  # that the policy wants before the literal follows
    file_changed: bool | None  # between the finding's commit and the newest pass's; None: not known


@dataclass(frozen=True, slots=True)
class LimitFinding:
    """A test that hit its limit, or passed within a tenth of it, and what the nights say about it.

    `needed_s` is what finishing would have taken at the pace it had (None: the log does not say).
    `least_s` is the least literal, in the rule's buckets, whose limit allows that; `literal_s` what the
    rule makes of a pass that long. `last_pass` is the newest earlier pass, `commits` those that touched
    the file since then (or the newest that did, where it never passed).
    """

    kind: LimitKind
    row: ScheduledFile
    limit_s: int
    trace: RowTrace
    night_at: datetime | None = None
    needed_s: int | None = None
    least_s: int | None = None
    literal_s: int | None = None
    history: tuple[PastTry, ...] = ()  # before it, newest first
    last_pass: PastTry | None = None
    commits: tuple[CommitNote, ...] = ()
    answer: LimitAnswer | None = None


# ------------------------------------------------------------------------- evaluation


@dataclass(frozen=True, slots=True)
class PolicyStamp:
    """The policy an evaluation was made under, as far as it can be written down."""

    name: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnHistory:
    """What the policy and the plain rule would have done over a repository's own nights (a backtest).

    Each pair is the policy's and the rule's: `edits` an update over all suites, `killed` as a share of
    runs and `makespan` over its lower bound as means over suites, weighted by files.
    """

    nights: int
    files: int
    policy: str
    edits: tuple[float, float]
    killed: tuple[float, float]
    makespan: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything one evaluation found out: what every publisher renders, and nothing else.

    `runs` are oldest first, attempts of one run in their order. `decisions` holds one for every
    active registration that could be read. `report_only` says in one sentence why nothing may be
    edited, "" where edits are on. `registrations` counts all calls that were read, disabled ones
    included. `notes` are constant-worded sentences about the whole evaluation.
    """

    repository: str  # owner/name
    base: str  # the branch or revision as it was named
    base_sha: CommitSha
    policy: PolicyStamp
    runs: tuple[RunEvidence, ...] = ()
    samples: tuple[Sample, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    identities: tuple[IdentityCheck, ...] = ()
    decisions: tuple[Decision, ...] = ()
    label_changes: tuple[LabelChange, ...] = ()
    label_selections: tuple[LabelSelection, ...] = ()
    label_suggestions: tuple[LabelSuggestion, ...] = ()
    refused_labels: tuple[RefusedLabels, ...] = ()
    refused_calls: tuple[RefusedCall, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    refused_edits: tuple[RefusedEdit, ...] = ()
    partitions: tuple[SuitePartitions, ...] = ()
    not_packed: tuple[NotPacked, ...] = ()
    report_only: str = ""
    narrowed: str = ""  # what a person narrowed it to, such as "suite stage-b-*"; "": all registrations
    registrations: int = 0
    unmatched: tuple[RegistrationKey, ...] = ()  # active registrations that no log of these runs schedules
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()  # suites that moved together: held back until it is known why
    own_history: OwnHistory | None = None  # None: too few nights to say anything
    limits: tuple[LimitFinding, ...] = ()
    label_totals: tuple[LabelTotal, ...] = ()
    matrix_pairs: tuple[MatrixPair, ...] = ()


# ------------------------------------------------------------------------------ tasks


class TaskKind(StrEnum):
    """What a task is about."""

    NIGHTLY = "nightly"
    INSTALLATION = "installation"
    PULL_REQUEST = "pull_request"  # a pull request's registrations are compared with the measurements
    COMMAND = "command"  # a person's comment
    CHECK_ACTION = "check_action"  # a person pressed a button of a check run of ours, or asked for it again
    SWEEP = "sweep"  # what never arrived is looked for, and what has gone quiet is said; `delivery` names the hour


class CheckAction(StrEnum):
    """What a person may ask of a check run of ours. A button's identifier has at most 20 characters."""

    REEVALUATE = "re_evaluate"
    OPEN_PULL_REQUEST = "open_pull_request"


@dataclass(frozen=True, slots=True)
class PersonsComment:
    """A comment that speaks to us. `text` is its beginning; `on_pull` False: it stands on a plain issue."""

    comment_id: int
    text: str
    on_pull: bool


@dataclass(frozen=True, slots=True)
class HostRepository:
    """The repository in which a run took place that measures another one; the App is installed on both."""

    installation_id: int
    repository_id: RepositoryId
    repository: str  # owner/name when asked; the id is what counts


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """One durable unit of work asked for. Equal keys are the same work, however often asked."""

    kind: TaskKind
    installation_id: int
    repository_id: RepositoryId = RepositoryId(0)
    repository: str = ""  # owner/name when asked; the id is what counts
    run_id: RunId = RunId(0)
    attempt: int = 0
    delivery: str = ""
    number: int = 0  # of the pull request, or for a comment perhaps the issue, that it is about
    head_sha: str = ""  # that pull request's head
    base: str = ""  # and the branch it is to be merged into
    action: str = ""  # what was done: the event's action, or a `CheckAction`
    actor: str = ""  # login of the person who asked; their permission is looked up when it is carried out
    comment: PersonsComment | None = None
    host: HostRepository | None = None  # where the run took place, where that is another repository

    @property
    def key(self) -> str:
        """The identity of the work: (repository id, run id, attempt) for a nightly.

        For a pull request its head; one that was opened again, or got another base, is new work.
        For a command its comment.
        """
        if self.comment is not None:
            return f"{self.kind}:{self.repository_id}:{self.comment.comment_id}"
        if self.kind is TaskKind.NIGHTLY:
            return f"nightly:{self.repository_id}:{self.run_id}:{self.attempt}"
        if self.kind is TaskKind.PULL_REQUEST:
            again = f":{self.delivery}" if self.action in ("edited", "reopened") else ""
            return f"pull_request:{self.repository_id}:{self.number}:{self.head_sha}{again}"
        return f"{self.kind}:{self.installation_id}:{self.delivery}"

    @property
    def lane(self) -> str:
        """Tasks of one lane run one at a time: those of one repository, or of one installation.

        Check runs of pull requests have a lane of their own: they must not wait for a nightly's logs.
        """
        if self.kind in (TaskKind.PULL_REQUEST, TaskKind.CHECK_ACTION) and self.number:
            return f"pull_requests:{self.repository_id}"
        return f"repository:{self.repository_id}" if self.repository_id else f"installation:{self.installation_id}"


@dataclass(frozen=True, slots=True)
class NightlyFilter:
    """Which runs of a repository are nightlies. `workflows` empty: any."""

    workflows: tuple[str, ...]
    events: tuple[str, ...]
    branches: tuple[str, ...]
