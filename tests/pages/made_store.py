"""A store with invented nights of any size, judged by the real calibration: for pages, and for how long they take.

Times wander slowly; some runs fail, hang, or come from another host; literals are as wrong as they are found.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.calibration.decide import decide_all
from bot.calibration.partition import plan_partitions
from bot.calibration.policies import policy_from
from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    Evaluation,
    Identity,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    KeyHistory,
    LogState,
    Plan,
    PlannedFile,
    PolicyStamp,
    Registration,
    RegistrationKey,
    Rejection,
    RejectionReason,
    RepositoryId,
    Run,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
    Status,
    Suite,
    TaskKind,
    TestPath,
)
from bot.records.publications import Publication, PullRequestEnd
from bot.records.repositories import ConfigSnapshot, ConfigStatus, Repository
from bot.records.work import TaskOutcome
from bot.repo_config import DEFAULT
from bot.store.open import Store

REPOSITORY = Repository(RepositoryId(7), "zoo/engine", 1, "main")
SERVER = "https://github.example"
FIRST = datetime(2026, 8, 1, 2, 30, tzinfo=UTC)
SUITE = Suite("stage-c-8-gpu-h100")
CUDA = Backend("cuda")
BASE = CommitSha("b" * 40)


@dataclass(frozen=True)
class Size:
    """How much is invented. Evaluations are kept of the last nights only; `window` nights are judged in each."""

    files: int = 40
    nights: int = 70
    ranks: int = 6
    evaluations: int = 3
    window: int = 14


def fill(store: Store, size: Size) -> None:
    """Record every night, then evaluate the last ones as their tasks would have."""
    store.repositories.save(REPOSITORY)
    store.states.set_config(REPOSITORY.repository_id, ConfigSnapshot(ConfigStatus.VALID, BASE, DEFAULT))
    made = _Made(size)
    nights = [made.night(number) for number in range(size.nights)]
    for night in nights:
        store.runs.record(REPOSITORY.repository_id, night)
    for number in range(max(1, size.nights - size.evaluations + 1), size.nights + 1):
        _evaluated(store, nights[max(0, number - size.window) : number], made.literals, number)
        if number < size.nights:
            store.publications.end(REPOSITORY.repository_id, number, PullRequestEnd.MERGED, None)


def path(number: int) -> TestPath:
    return TestPath(f"tests/e2e/zoo/test_animal_{number:04d}.py")


def key(number: int) -> RegistrationKey:
    return RegistrationKey(path(number), CUDA, SUITE)


def _literal(seconds: float) -> int:
    return max(10, round(seconds / 10) * 10)


class _Made:
    """Makes nights one after another; in the middle of them the first test's literal is mended."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.dice = random.Random(7)  # noqa: S311 - the same nights every time
        self.usual = [
            self.dice.choice((30, 90, 300, 700, 1500)) * self.dice.uniform(0.6, 1.6) for _ in range(size.files)
        ]
        self.literals = [_literal(seconds * self.dice.choice((0.85, 1.3, 1.3, 1.3, 3))) for seconds in self.usual]

    def night(self, number: int) -> RunEvidence:
        if number == self.size.nights // 2:
            self.literals[0] = _literal(self.usual[0] * 1.25)
        run = Run(
            repository=REPOSITORY.full_name,
            run_id=RunId(9_100_000 + number),
            attempt=1,
            head_sha=CommitSha(f"{number:040x}"),
            created_at=FIRST + timedelta(days=number, minutes=self.dice.randrange(50)),
            event="schedule",
            workflow=".github/workflows/nightly.yml",
            conclusion="failure",
        )
        return RunEvidence(run, tuple(self._job(run, rank) for rank in range(self.size.ranks)))

    def _job(self, run: Run, rank: int) -> JobEvidence:
        job = Job(
            job_id=JobId(run.run_id * 100 + rank),
            name=f"{SUITE} ({rank})",
            attempt=1,
            conclusion="success",
            runner_name=f"h100-{self.dice.randrange(4):02d}.zoo",
        )
        mine = range(rank, self.size.files, self.size.ranks)
        rows = tuple(self._row(run, job, rank, number) for number in mine)
        planned = tuple(PlannedFile(row.path, row.logged_est_s, row.plan_line) for row in rows)
        plan = Plan(SUITE, CUDA, rank, self.size.ranks, 100, planned)
        return JobEvidence(JobLog(job, LogState.PRESENT, sha256="c" * 64, lines=900), "suite_runner", plan, rows=rows)

    def _row(self, run: Run, job: Job, rank: int, number: int) -> ScheduledFile:
        status = self.dice.choices(tuple(_ODDS), tuple(_ODDS.values()))[0]
        literal, index = self.literals[number], number // self.size.ranks
        seconds = round(self.usual[number] * (1 + 0.002 * (run.run_id % 100)) * self.dice.uniform(0.93, 1.08))
        took = {Status.PASSED: seconds, Status.FAILED: seconds // 2, Status.TIMEOUT: max(1800, int(literal * 1.25))}
        return ScheduledFile(
            run_id=run.run_id,
            attempt=1,
            head_sha=run.head_sha,
            job_id=job.job_id,
            job_name=job.name,
            suite=SUITE,
            backend=CUDA,
            partition_id=rank,
            partition_size=self.size.ranks,
            plan_index=index,
            path=path(number),
            status=status,
            elapsed_s=took.get(status),
            logged_est_s=float(literal),
            plan_line=101 + index,
            timing_line=400 + 10 * index if status in took else None,
            status_line=405 + 10 * index if status in took else None,
            tries=1,
            runner_name=job.runner_name,
        )


_ODDS = {Status.PASSED: 93, Status.FAILED: 3, Status.TIMEOUT: 2, Status.NOT_RUN: 1, Status.CANCELLED: 1}


def _evaluated(store: Store, nights: list[RunEvidence], literals: list[int], number: int) -> None:
    """What the task of the newest of these nights leaves behind."""
    run, repository = nights[-1].run, REPOSITORY.repository_id
    task = f"nightly:{repository}:{run.run_id}:1"
    name, at = f"{task}:{BASE}", (run.created_at or FIRST) + timedelta(hours=9)
    store.evaluations.record(name, repository, evaluated(nights, literals))
    store.publications.record(
        Publication(
            repository_id=repository,
            commit=CommitSha(f"{number:040x}"),
            branch="recalibrate/main",
            base="main",
            base_sha=BASE,
            digest=str(number),
            published_at=at,
            pull_request=number,
            evaluation_id=name,
        )
    )
    told = f"pull request #{number}"
    store.outcomes.record(TaskOutcome(task, repository, TaskKind.NIGHTLY, "published", at, run.run_id, 1, told))
    for job in nights[-1].jobs:
        cited = {line for row in job.rows for line in (row.plan_line, row.timing_line) if line}
        store.runs.cite(repository, run, {job.log.job.job_id: {line: f"what line {line} says" for line in cited}})


def evaluated(nights: list[RunEvidence], literals: list[int]) -> Evaluation:
    """The nights judged under the default policy."""
    histories = _histories(nights)
    registered = [
        Registration(key(index), BlobSha(f"{index:040x}"), 0, 9, 9, 9, float(literal), str(literal))
        for index, literal in enumerate(literals)
    ]
    decided = decide_all(registered, histories, policy_from(DEFAULT.estimate), DEFAULT.timeout.rule)
    packed, refused = plan_partitions(nights, decided)
    return Evaluation(
        repository=REPOSITORY.full_name,
        base="main",
        base_sha=BASE,
        policy=PolicyStamp("default"),
        runs=tuple(nights),
        samples=tuple(sample for one in histories.values() for sample in one.samples),
        rejections=tuple(rejection for one in histories.values() for rejection in one.rejections),
        decisions=decided,
        partitions=packed,
        not_packed=refused,
        registrations=len(registered),
    )


def _histories(nights: list[RunEvidence]) -> dict[RegistrationKey, KeyHistory]:
    found: dict[RegistrationKey, KeyHistory] = {}
    for night in reversed(nights):
        for row in night.rows:
            of, at = RegistrationKey(row.path, row.backend, row.suite), night.run.created_at
            known = found.get(of, KeyHistory(of))
            if row.status is Status.PASSED and row.elapsed_s is not None:
                sample = Sample(of, row, row.elapsed_s, Identity.IDENTICAL, at)
                found[of] = replace(known, samples=(*known.samples, sample))
            else:
                why = RejectionReason(row.status.value)
                rejection = Rejection(row, why, of, Identity.IDENTICAL, night_at=at)
                found[of] = replace(known, rejections=(*known.rejections, rejection))
    return found
