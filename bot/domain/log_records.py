"""What one log dialect reads from one job log: plan, tries, summary, checkouts; no judgement yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.domain.ids import Backend, CommitSha, Suite, TestPath


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
