"""Runs after classification: a row with a status for each scheduled file, before anybody judges it for calibration."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import Backend, CommitSha, JobId, RunId, Suite, TestPath
from bot.domain.log_records import LogNote, Plan
from bot.domain.runs import JobLog, Run


class Status(StrEnum):
    """What became of one scheduled file. Only `PASSED` measures (docs/architecture.md, "Evidence")."""

    PASSED = "passed"
    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_RUN = "not_run"


class Doubt(StrEnum):
    """What the output of a passed file says against its being a measurement."""

    SKIPPED = "skipped"  # every test of it was skipped
    NO_TESTS = "no_tests"  # no test ran
    ERRORS = "errors"  # tests failed or had errors, and the file passed all the same


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
