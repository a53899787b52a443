"""Values for the store's tests: small ones written out, and hypothesis strategies for arbitrary ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from bot.domain import (
    Backend,
    CommitSha,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    LogNote,
    LogState,
    Plan,
    PlannedFile,
    Registration,
    RegistrationKey,
    Run,
    RunEvidence,
    RunId,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
)

DAY_ONE = datetime(2026, 9, 1, 7, 30, tzinfo=UTC)
HEAD = CommitSha("a" * 40)
BASE = CommitSha("b" * 40)
KEY = RegistrationKey(TestPath("tests/test_a.py"), Backend("cuda"), Suite("stage-b"))


def run(night: int, attempt: int = 1, **other: Any) -> Run:
    """The run of one night, counted in days from DAY_ONE."""
    return Run(
        **{
            "repository": "octo/suite",
            "run_id": RunId(100 + night),
            "attempt": attempt,
            "head_sha": HEAD,
            "created_at": DAY_ONE + timedelta(days=night),
            "workflow": "ci.yml",
            **other,
        }
    )


def timing(of: Run, job_id: int = 1, plan_index: int = 0, **other: Any) -> ScheduledFile:
    """A pass of KEY in 100 seconds."""
    return ScheduledFile(
        **{
            "run_id": of.run_id,
            "attempt": of.attempt,
            "head_sha": of.head_sha,
            "job_id": JobId(job_id),
            "job_name": "stage-b (0)",
            "suite": KEY.suite,
            "backend": KEY.backend,
            "partition_id": 0,
            "partition_size": 1,
            "plan_index": plan_index,
            "path": KEY.path,
            "status": Status.PASSED,
            "elapsed_s": 100,
            "logged_est_s": 60.0,
            "plan_line": 7,
            **other,
        }
    )


def job(*rows: ScheduledFile, job_id: int = 1, state: LogState = LogState.PRESENT, **other: Any) -> JobEvidence:
    log = JobLog(Job(JobId(job_id), "stage-b (0)", 1, "success"), state, sha256="c" * 64, size=10, lines=2)
    return JobEvidence(log, rows=rows, **other)


def evidence(of: Run, *jobs: JobEvidence, partial: frozenset[Suite] = frozenset()) -> RunEvidence:
    return RunEvidence(of, jobs, partial)


def one_pass(night: int, attempt: int = 1, **other: Any) -> RunEvidence:
    """A night with one job in which KEY passed."""
    this = run(night, attempt)
    return evidence(this, job(timing(this, **other)))


def registration(est_time: float = 60, blob: str = "d" * 40, **other: Any) -> Registration:
    return Registration(
        **{
            "key": KEY,
            "blob": blob,
            "index": 0,
            "line": 3,
            "end_line": 5,
            "est_line": 4,
            "est_time": est_time,
            "est_text": str(est_time),
            **other,
        }
    )


# ------------------------------------------------------------------------------------ strategies

texts = st.text(st.one_of(st.characters(), st.sampled_from("\x00\x1a\ud800\udfff\\'\"%:é\n")), max_size=12)
whole = st.integers(0, 2**63 - 1)
lines = st.none() | whole
seconds = st.floats(allow_nan=False)
times = st.none() | st.datetimes(datetime(1971, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))
shas = st.text("0123456789abcdef", min_size=40, max_size=40)

planned = st.builds(PlannedFile, path=texts, est_s=seconds, line=whole, implicit=st.booleans())
plans = st.builds(
    Plan,
    suite=texts,
    backend=texts,
    partition_id=whole,
    partition_size=whole,
    line=whole,
    files=st.lists(planned, max_size=2).map(tuple),
    disabled=st.lists(texts, max_size=2).map(tuple),
    cadence=texts,
)


@st.composite
def timings(draw: st.DrawFn, of: Run, job_id: JobId, plan_index: int) -> ScheduledFile:
    return draw(
        st.builds(
            ScheduledFile,
            run_id=st.just(of.run_id),
            attempt=st.just(of.attempt),
            head_sha=st.just(of.head_sha),
            job_id=st.just(job_id),
            job_name=texts,
            suite=texts,
            backend=texts,
            partition_id=whole,
            partition_size=whole,
            plan_index=st.just(plan_index),
            path=texts,
            status=st.sampled_from(Status),
            elapsed_s=lines,
            logged_est_s=seconds,
            plan_line=whole,
            timing_line=lines,
            status_line=lines,
            summary_line=lines,
            tries=whole,
            runner_name=texts,
            note=texts,
            implicit=st.booleans(),
        )
    )


@st.composite
def job_evidence(draw: st.DrawFn, of: Run, job_id: JobId) -> JobEvidence:
    the_job = st.builds(
        Job,
        job_id=st.just(job_id),
        name=texts,
        attempt=whole,
        conclusion=texts,
        started_at=times,
        completed_at=times,
        runner_name=texts,
    )
    log = st.builds(
        JobLog,
        job=the_job,
        state=st.sampled_from(LogState),
        path=texts,
        sha256=st.sampled_from(["", "e" * 64]),
        size=whole,
        lines=whole,
        reason=texts,
    )
    count = draw(st.integers(0, 2))
    return draw(
        st.builds(
            JobEvidence,
            log=log,
            dialect=texts,
            plan=st.none() | plans,
            tested_sha=st.none() | shas,
            rows=st.tuples(*(timings(of, job_id, index) for index in range(count))),
            notes=st.lists(st.sampled_from(LogNote), max_size=2).map(tuple),
            carried_from=st.none() | whole,
        )
    )


@st.composite
def run_evidence(draw: st.DrawFn, run_id: int) -> RunEvidence:
    """Any attempt of one run, with up to three jobs in any order of ids."""
    of = draw(
        st.builds(
            Run,
            repository=texts,
            run_id=st.just(RunId(run_id)),
            attempt=st.integers(1, 2**31),
            head_sha=shas,
            created_at=times,
            started_at=times,
            event=texts,
            head_branch=texts,
            workflow=texts,
            conclusion=texts,
            url=texts,
            trusted=st.booleans(),
        )
    )
    ids = draw(st.lists(whole.map(JobId), max_size=3, unique=True))
    partial = frozenset(draw(st.lists(texts, max_size=2)))
    return RunEvidence(of, draw(st.tuples(*(job_evidence(of, job_id) for job_id in ids))), partial)
