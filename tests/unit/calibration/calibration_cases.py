"""Small values for the tests of this stage: registrations, samples, rejections, runs with plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import get_args

from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    Identity,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    KeyHistory,
    LogState,
    Plan,
    PlannedFile,
    Registration,
    RegistrationKey,
    Rejection,
    RejectionReason,
    Run,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
)
from bot.repo_config.estimation import Estimation, GuardName

PLAIN = Estimation(material="off", guards=get_args(GuardName))  # every literal that is off, every guard rail
FIRST_RULES = Estimation(material="off")
FIRST_NIGHT = datetime(2026, 7, 10, 15, tzinfo=UTC)
SUITE = "stage-q-4-gpu"


def key(path: str = "tests/e2e/zoo/test_otter.py", suite: str = SUITE, backend: str = "cuda") -> RegistrationKey:
    return RegistrationKey(TestPath(path), Backend(backend), Suite(suite))


def registration(est_time: float, of: RegistrationKey | None = None, **more: object) -> Registration:
    return Registration(
        key=of or key(),
        blob=BlobSha("b" * 40),
        index=0,
        line=1,
        end_line=1,
        est_line=1,
        est_time=est_time,
        est_text=str(est_time),
        **more,  # type: ignore[arg-type]
    )


def row(of: RegistrationKey, day: float, **more: object) -> ScheduledFile:
    values: dict[str, object] = {
        "run_id": RunId(1000 + int(day)),
        "attempt": 1,
        "head_sha": CommitSha(f"{int(day):040x}"),
        "job_id": JobId(7),
        "job_name": f"{of.suite} (0) / run",
        "suite": of.suite,
        "backend": of.backend,
        "partition_id": 0,
        "partition_size": 1,
        "plan_index": 0,
        "path": of.path,
        "status": Status.PASSED,
        "elapsed_s": 0,
        "logged_est_s": 400.0,
        "plan_line": 1,
        "runner_name": "runner-1",
    }
    return ScheduledFile(**{**values, **more})  # type: ignore[arg-type]


def sample(elapsed_s: int, day: float = 0, of: RegistrationKey | None = None, **more: object) -> Sample:
    """A pass on the night `day` days after the first; `partial` and `identity` are the sample's own."""
    partial = bool(more.pop("partial", False))
    identity = more.pop("identity", Identity.IDENTICAL)
    return Sample(
        key=of or key(),
        row=row(of or key(), day, elapsed_s=elapsed_s, **more),
        elapsed_s=elapsed_s,
        identity=identity,  # type: ignore[arg-type]
        night_at=FIRST_NIGHT + timedelta(days=day),
        partial=partial,
    )


def rejection(
    reason: RejectionReason,
    day: float = 0,
    elapsed_s: int = 1800,
    status: Status = Status.TIMEOUT,
    identity: Identity | None = Identity.IDENTICAL,
) -> Rejection:
    return Rejection(
        row=row(key(), day, elapsed_s=elapsed_s, status=status),
        reason=reason,
        key=key(),
        identity=identity,
        night_at=FIRST_NIGHT + timedelta(days=day),
    )


def history(samples: Iterable[Sample] = (), rejections: Iterable[Rejection] = ()) -> KeyHistory:
    return KeyHistory(key(), tuple(samples), tuple(rejections))


def passes(*elapsed_s: int, of: RegistrationKey | None = None) -> tuple[Sample, ...]:
    """One pass a night, oldest first."""
    return tuple(sample(seconds, day, of) for day, seconds in enumerate(elapsed_s))


def job(plan: Plan | None, job_id: int = 1) -> JobEvidence:
    return JobEvidence(JobLog(Job(JobId(job_id), "job", 1, "success"), LogState.PRESENT), plan=plan)


def plan(rank: int, size: int, files: Sequence[tuple[str, float]], suite: str = SUITE) -> Plan:
    planned = tuple(PlannedFile(TestPath(path), est, line) for line, (path, est) in enumerate(files, 1))
    return Plan(Suite(suite), Backend("cuda"), rank, size, 1, planned)


def run(day: float, plans: Sequence[Plan | None], attempt: int = 1) -> RunEvidence:
    meta = Run("acme/zoo", RunId(1000 + int(day)), attempt, CommitSha("a" * 40), FIRST_NIGHT + timedelta(days=day))
    return RunEvidence(meta, tuple(job(x, number) for number, x in enumerate(plans, 1)))
