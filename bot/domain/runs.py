"""Workflow runs, their jobs and their jobs' logs, as the source of runs gives them; nothing of a log is read here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.ids import CommitSha, JobId, RunId


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
