"""Evidence as table rows and back: one function a direction and a table. No queries here."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.domain import (
    Doubt,
    Job,
    JobEvidence,
    JobLog,
    LogState,
    RegistrationKey,
    RepositoryId,
    Run,
    ScheduledFile,
    Status,
)
from bot.errors import InternalError
from bot.store.column_types import escape

Row = dict[str, Any]
Stored = Mapping[Any, Any]  # a row as the database gave it, by column name

_RUN = (
    "repository",
    "run_id",
    "attempt",
    "head_sha",
    "created_at",
    "started_at",
    "event",
    "head_branch",
    "workflow",
    "conclusion",
    "url",
    "measures",
    "trusted",
)
_TIMING = (
    "run_id",
    "attempt",
    "head_sha",
    "job_id",
    "job_name",
    "suite",
    "backend",
    "partition_id",
    "partition_size",
    "plan_index",
    "path",
    "elapsed_s",
    "logged_est_s",
    "plan_line",
    "timing_line",
    "status_line",
    "summary_line",
    "tries",
    "runner_name",
    "note",
    "implicit",
    "doubt_line",
)


def key_id(key: RegistrationKey) -> str:
    """A digest that stands for a key in indexes: paths may be longer than an index row."""
    return digest(key.path, key.backend, key.suite)


def digest(*parts: str) -> str:
    """SHA-256 of texts, in hex; no two lists of parts give the same bytes."""
    text = "\x00".join(escape(part) for part in parts)  # escaped parts hold no NUL
    return hashlib.sha256(text.encode()).hexdigest()


def run_row(repository_id: RepositoryId, run: Run, partial: Sequence[str], recorded_at: datetime) -> Row:
    """A row of `runs`."""
    return {**asdict(run), "repository_id": repository_id, "partial": tuple(partial), "recorded_at": recorded_at}


def run_value(row: Stored, full_name: str | None) -> Run:
    """The run of a row, under the repository's present name where that is known."""
    run = Run(**{name: row[name] for name in _RUN})
    if full_name is None:
        return run
    named = "measures" if run.measures else "repository"  # what is not the watched one keeps its name
    return run if full_name == getattr(run, named) else Run(**{**asdict(run), named: full_name})


def job_row(identity: Row, position: int, evidence: JobEvidence) -> Row:
    """A row of `jobs`. `identity` holds the run's primary key."""
    log, job = evidence.log, evidence.log.job
    return {
        **identity,
        "job_id": job.job_id,
        "position": position,
        "name": job.name,
        "job_attempt": job.attempt,
        "conclusion": job.conclusion,
        "started_at": job.started_at,
        "completed_at": job.completed_at,
        "runner_name": job.runner_name,
        "log_state": log.state.value,
        "log_path": log.path,
        "log_sha256": log.sha256,
        "log_size": log.size,
        "log_lines": log.lines,
        "log_reason": log.reason,
        "dialect": evidence.dialect,
        "plan": evidence.plan,
        "tested_sha": evidence.tested_sha,
        "notes": evidence.notes,
        "carried_from": evidence.carried_from,
    }


def job_value(row: Stored, timings: Sequence[ScheduledFile]) -> JobEvidence:
    """The job of a row with its timings in plan order."""
    job = Job(
        job_id=row["job_id"],
        name=row["name"],
        attempt=row["job_attempt"],
        conclusion=row["conclusion"],
        started_at=row["started_at"],
        completed_at=row["completed_at"],
        runner_name=row["runner_name"],
    )
    log = JobLog(
        job=job,
        state=LogState(row["log_state"]),
        path=row["log_path"],
        sha256=row["log_sha256"],
        size=row["log_size"],
        lines=row["log_lines"],
        reason=row["log_reason"],
    )
    return JobEvidence(
        log=log,
        dialect=row["dialect"],
        plan=row["plan"],
        tested_sha=row["tested_sha"],
        rows=tuple(timings),
        notes=row["notes"],
        carried_from=row["carried_from"],
    )


def timing_row(identity: Row, run: Run, evidence: JobEvidence, timing: ScheduledFile) -> Row:
    """A row of `timings`.

    Raises:
        InternalError: the timing names another run, attempt or job than the one it is listed under.
    """
    job_id = evidence.log.job.job_id
    if (timing.run_id, timing.attempt, timing.job_id) != (run.run_id, run.attempt, job_id):
        raise InternalError(f"a timing of job {timing.job_id} is listed under job {job_id} of run {run.run_id}")
    return {
        **{name: getattr(timing, name) for name in _TIMING},
        **identity,
        "status": timing.status.value,
        "doubt": timing.doubt.value if timing.doubt else None,
        "key_id": key_id(RegistrationKey(timing.path, timing.backend, timing.suite)),
        "night_at": run.created_at,
        "carried_over": evidence.carried_from is not None,
    }


def timing_value(row: Stored) -> ScheduledFile:
    """The timing of a row."""
    doubt = Doubt(row["doubt"]) if row["doubt"] else None
    return ScheduledFile(status=Status(row["status"]), doubt=doubt, **{name: _shared(row[name]) for name in _TIMING})


def _shared(value: object) -> Any:
    """The value; of equal strings one: the rows of a window name the same files, jobs and commits again and again."""
    return sys.intern(value) if isinstance(value, str) else value
