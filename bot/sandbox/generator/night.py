"""One night of the story as jobs with logs, and what each scheduled file was made to do.

Pure: values in, values out. Writing them to a directory is `bot.sandbox.generator.artifact`'s part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from bot.domain import CommitSha, JobId, RunId, Status
from bot.sandbox.generator.api import JobFacts, RunFacts, StepFacts
from bot.sandbox.generator.job import JobPlan, limit_s
from bot.sandbox.generator.logs import WrittenLog, plain_log, suite_log
from bot.sandbox.generator.packing import pack
from bot.sandbox.generator.spec import Event, Story, SuiteSpec, TestSpec

FIRST_NIGHT = datetime(2026, 9, 2, 2, 30, 11, tzinfo=UTC)
SUITE_STEPS = ("Set up and check out", "List the plan", "Run the suite", "Complete job")
PLAIN_STEPS = ("Set up job", "Complete job")
STATUSES = {
    Event.PASS: Status.PASSED,
    Event.RETRY: Status.PASSED,
    Event.FAIL: Status.FAILED,
    Event.TIMEOUT: Status.TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """What one scheduled file of one suite job was made to do."""

    job_id: JobId
    path: str
    suite: str
    partition_id: int
    partition_size: int
    est_s: int
    status: Status
    elapsed_s: int


@dataclass(frozen=True, slots=True)
class Night:
    """Which night of which story, at which commit. `number` counts from 0."""

    story: Story
    number: int
    seed: int
    head_sha: CommitSha

    @property
    def run_id(self) -> RunId:
        """The id of the night's workflow run."""
        return RunId(7_100_000_000 + self.seed * 1000 + self.number)

    @property
    def created_at(self) -> datetime:
        """When its workflow run was created."""
        return FIRST_NIGHT + timedelta(days=self.number)

    def job_id(self, index: int) -> JobId:
        """The id of its `index`-th job."""
        return JobId(81_000_000_000 + int(self.run_id) % 1_000_000 * 1000 + index)


def night_plans(night: Night) -> tuple[JobPlan, ...]:
    """Every suite job of the night: each suite packed into its partitions."""
    return tuple(
        _plan(night, suite, partition_id, tests)
        for suite in night.story.suites
        for partition_id, tests in enumerate(pack(night.story.of(suite.name), suite.partitions))
    )


def night_jobs(night: Night, plans: Sequence[JobPlan]) -> tuple[JobFacts, ...]:
    """All jobs of the run: one that runs no suite, one that is skipped, and the suite jobs."""
    suite_jobs = (_suite_job(night, index, plan) for index, plan in enumerate(plans, start=2))
    return (_plain_job(night), _skipped_job(night), *suite_jobs)


def night_run(night: Night, jobs: Sequence[JobFacts]) -> RunFacts:
    """The workflow run over its jobs."""
    failed = any(job.conclusion == "failure" for job in jobs)
    return RunFacts(
        run_id=night.run_id,
        number=410 + night.number,
        head_sha=night.head_sha,
        created_at=night.created_at,
        updated_at=max(job.completed_at for job in jobs) + timedelta(seconds=4),
        conclusion="failure" if failed else "success",
    )


def planned_rows(night: Night, plans: Sequence[JobPlan]) -> Iterator[PlannedRow]:
    """What the files of all suites with records of their own were made to do."""
    for index, plan in enumerate(plans, start=2):
        if plan.suite.backend == "cpu":
            continue
        for test, measured in plan.tests:
            killed = measured.event is Event.TIMEOUT
            yield PlannedRow(
                job_id=night.job_id(index),
                path=test.path,
                suite=plan.suite.name,
                partition_id=plan.partition_id,
                partition_size=plan.suite.partitions,
                est_s=test.est,
                status=STATUSES[measured.event],
                elapsed_s=limit_s(test, plan.suite) if killed else measured.elapsed_s,
            )


def _plan(night: Night, suite: SuiteSpec, partition_id: int, tests: tuple[TestSpec, ...]) -> JobPlan:
    return JobPlan(
        name=f"{suite.name} ({partition_id}) / run" if suite.partitions > 1 else f"{suite.name} / run",
        suite=suite,
        partition_id=partition_id,
        tests=tuple((test, test.measured(night.number)) for test in tests),
        disabled=tuple((test.path, test.disabled) for test in night.story.of(suite.name) if test.disabled),
        head_sha=night.head_sha,
        runner_name=f"heron-{suite.runner}-{'ab'[partition_id % 2]}",
        started_at=night.created_at + timedelta(seconds=40 + 7 * partition_id),
        seed=f"{night.seed}/{night.number}/{suite.name}/{partition_id}",
    )


def _suite_job(night: Night, index: int, plan: JobPlan) -> JobFacts:
    log = suite_log(plan)
    ended = "success" if plan.succeeds else "failure"
    conclusions = ("success", "success", ended, "success")
    return JobFacts(
        job_id=night.job_id(index),
        name=plan.name,
        conclusion=ended,
        created_at=night.created_at + timedelta(seconds=30),
        started_at=log.times[0],
        completed_at=log.times[-1],
        runner_name=plan.runner_name,
        labels=(plan.suite.runner,),
        steps=_steps(log, SUITE_STEPS, conclusions),
        log=log.raw,
    )


def _plain_job(night: Night) -> JobFacts:
    name = "resolve-cadence"
    log = plain_log(name, night.created_at + timedelta(seconds=9), f"{night.seed}/{night.number}/{name}")
    return JobFacts(
        job_id=night.job_id(0),
        name=name,
        conclusion="success",
        created_at=night.created_at + timedelta(seconds=2),
        started_at=log.times[0],
        completed_at=log.times[-1],
        runner_name="GitHub Actions 31",
        labels=("ubuntu-latest",),
        steps=_steps(log, PLAIN_STEPS, ("success", "success")),
        log=log.raw,
    )


def _skipped_job(night: Night) -> JobFacts:
    """GitHub keeps no log of a skipped job, gives it no runner, and sets all its times to one moment."""
    at = night.created_at + timedelta(seconds=12)
    return JobFacts(
        job_id=night.job_id(1),
        name="build-image",
        conclusion="skipped",
        created_at=at,
        started_at=at,
        completed_at=at,
        runner_name=None,
        labels=(),
        steps=(),
        log=None,
    )


def _steps(log: WrittenLog, names: Sequence[str], conclusions: Sequence[str]) -> tuple[StepFacts, ...]:
    spans = zip(names, conclusions, pairwise(log.times), strict=True)
    return tuple(StepFacts(name, conclusion, began, ended) for name, conclusion, (began, ended) in spans)
