"""Small evaluations written by hand, and a large one built by number."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    EditRefusal,
    Estimate,
    Evaluation,
    Identity,
    IdentityCheck,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    Keep,
    KeepReason,
    LogState,
    PolicyStamp,
    Proposal,
    RefusedCall,
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

HEAD = CommitSha("1" * 40)
BASE = CommitSha("b" * 40)
SUITE = Suite("stage-q-4-gpu")
CUDA = Backend("cuda")
BOAR = TestPath("tests/zoo/test_boar.py")


def blob(digit: str) -> BlobSha:
    return BlobSha(digit * 40)


def scheduled(path: str, **facts: object) -> ScheduledFile:
    """A row of run 11, job 7, that passed after 310 s unless told otherwise."""
    given: dict[str, object] = {
        "run_id": RunId(11),
        "attempt": 1,
        "head_sha": HEAD,
        "job_id": JobId(7),
        "job_name": "stage-q-4-gpu (0) / run",
        "suite": SUITE,
        "backend": CUDA,
        "partition_id": 0,
        "partition_size": 2,
        "plan_index": 0,
        "path": TestPath(path),
        "status": Status.PASSED,
        "elapsed_s": 310,
        "logged_est_s": 400.0,
        "plan_line": 3,
        "timing_line": 10,
        "status_line": 11,
        "summary_line": 20,
        "tries": 1,
        "runner_name": "host-1",
    }
    return ScheduledFile(**{**given, **facts})  # type: ignore[arg-type]


def registration(path: str, est_time: float = 400, **facts: object) -> Registration:
    given: dict[str, object] = {
        "key": RegistrationKey(TestPath(path), CUDA, SUITE),
        "blob": blob("a"),
        "index": 0,
        "line": 5,
        "end_line": 5,
        "est_line": 5,
        "est_time": est_time,
        "est_text": str(est_time),
        "labels": ("alpha",),
    }
    return Registration(**{**given, **facts})  # type: ignore[arg-type]


def estimate(value_s: int, slowest: int, nights: int = 1) -> Estimate:
    return Estimate(value_s, slowest * 1.25, "max x 1.25", nights, nights, 1, slowest, 0, 3 if nights > 1 else 0)


def sample(row: ScheduledFile, identity: Identity = Identity.IDENTICAL) -> Sample:
    key = RegistrationKey(row.path, row.backend, row.suite)
    return Sample(key, row, row.elapsed_s or 0, identity, datetime(2026, 8, 20, 15, tzinfo=UTC))


def rejection(row: ScheduledFile, reason: RejectionReason, **facts: object) -> Rejection:
    return Rejection(row, reason, RegistrationKey(row.path, row.backend, row.suite), **facts)  # type: ignore[arg-type]


def proposal(before: Registration, after: int, *samples: Sample) -> Proposal:
    slowest = max((item.elapsed_s for item in samples), default=0)
    return Proposal(before, estimate(after, slowest, len(samples)), after, 1800, 1800, samples)


def job(job_id: int, *rows: ScheduledFile, **facts: object) -> JobEvidence:
    attempt = rows[0].attempt if rows else 1
    log = JobLog(
        Job(JobId(job_id), f"job {job_id}", attempt, "success"), LogState.PRESENT, "", f"{job_id:064x}", 1000, 40
    )
    return JobEvidence(log, "suite_runner", None, HEAD, rows, **facts)  # type: ignore[arg-type]


def run(run_id: int, *jobs: JobEvidence, attempt: int = 1) -> RunEvidence:
    url = f"https://github.com/zoo/keeper/actions/runs/{run_id}"
    return RunEvidence(Run("zoo/keeper", RunId(run_id), attempt, HEAD, conclusion="failure", url=url), jobs)


def evaluation(*runs: RunEvidence, **facts: object) -> Evaluation:
    return Evaluation("zoo/keeper", "main", BASE, PolicyStamp("default", {"headroom": 1.25}), runs, **facts)  # type: ignore[arg-type]


def small() -> Evaluation:
    """Two attempts of one run: a lower, an equal one, a held one, an unused pass, a time-out, a carried-over job."""
    otter = scheduled("tests/zoo/test_otter.py")
    panda = scheduled("tests/zoo/test_panda.py", plan_index=1, elapsed_s=160, logged_est_s=200.0, plan_line=4)
    lynx = scheduled("tests/zoo/test_lynx.py", plan_index=2, elapsed_s=80, note="passed on try 2", plan_line=5)
    wolf = scheduled("tests/zoo/test_wolf.py", plan_index=3, elapsed_s=90, plan_line=6)
    newt = scheduled(
        "tests/zoo/test_newt.py", job_id=JobId(8), partition_id=1, status=Status.TIMEOUT, elapsed_s=1800, plan_line=9
    )
    toad = scheduled(
        "tests/zoo/test_toad, old.py",
        job_id=JobId(8),
        partition_id=1,
        plan_index=1,
        status=Status.NOT_RUN,
        elapsed_s=None,
        logged_est_s=60.5,
        timing_line=None,
        status_line=None,
        summary_line=None,
        plan_line=10,
    )
    again = scheduled("tests/zoo/test_otter.py", attempt=2, job_id=JobId(9))
    jobs = (job(8, newt, toad), job(7, otter, panda, lynx, wolf))
    samples = tuple(map(sample, (otter, panda, lynx)))
    keys = {item.row.path: registration(item.row.path, item.row.logged_est_s) for item in samples}
    return evaluation(
        run(11, *jobs),
        run(11, job(9, again, carried_from=JobId(7)), attempt=2),
        samples=samples,
        rejections=(
            rejection(wolf, RejectionReason.CHANGED, identity=Identity.CHANGED),
            rejection(newt, RejectionReason.TIMEOUT),
            rejection(toad, RejectionReason.NOT_RUN),
            rejection(again, RejectionReason.CARRIED_OVER),
        ),
        identities=(
            IdentityCheck(otter.path, HEAD, Identity.IDENTICAL, blob("a"), blob("a")),
            IdentityCheck(wolf.path, HEAD, Identity.CHANGED, blob("c"), blob("d")),
        ),
        decisions=(
            proposal(keys[otter.path], 800, samples[0]),
            Keep(keys[panda.path], KeepReason.EQUAL, "", estimate(200, 160), samples=samples[1:2]),
            Keep(
                keys[lynx.path],
                KeepReason.TOO_FEW_NIGHTS,
                "1 of the 2 complete nights a lower needs",
                estimate(100, 80),
                100,
                samples=samples[2:],
            ),
            Keep(registration(wolf.path), KeepReason.NO_SAMPLE),
            Keep(registration(newt.path, 1200.5), KeepReason.NO_SAMPLE),
        ),
        refused_calls=(RefusedCall(BOAR, 12, EditRefusal.EST_TIME_NOT_LITERAL, "60 * 5"),),
        registrations=5,
    )


def large(changes: int, path_length: int = 80) -> Evaluation:
    """As many raised tests as told, the last one by most."""
    rows = tuple(
        scheduled(f"tests/{'x' * (path_length - 16)}/{number:06d}.py", plan_index=number, elapsed_s=1000 + number)
        for number in range(changes)
    )
    samples = tuple(map(sample, rows))
    decisions = tuple(
        proposal(registration(item.row.path, 500), 2000 + number, item) for number, item in enumerate(samples)
    )
    return evaluation(run(11, job(7, *rows)), samples=samples, decisions=decisions, registrations=changes)
