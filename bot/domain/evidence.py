"""What runs, logs and their rows are: evidence before anybody judges it for calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.domain.ids import Backend, CommitSha, JobId, RunId, Suite, TestPath


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
