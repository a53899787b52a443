"""The stages of one nightly at a given size, each by its own processor time: how they grow with files and history.

A generated repository, read from git; the runs of a window, made of one generated night by moving its
ids and its days. Everything is done in this process and in the order of the road; the store is SQLite.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from bot.calibration.policies import in_service, policy_from
from bot.domain import Evaluation, Job, JobEvidence, JobId, RepositoryId, RunEvidence, RunId
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job, run_evidence
from bot.evidence.collect import collect
from bot.forge.local_git import LocalGit, open_repository
from bot.publish.body import report
from bot.publish.evidence_files import evidence_files
from bot.publish.lines import cited_logs
from bot.publish.links import Links
from bot.publish.log_lines import cited_texts
from bot.records.measurements import NightWindow
from bot.repo_config import RepoConfig
from bot.sandbox.generator import Generate, Generated, generate
from bot.store.open import Store
from bot.tasks.gather import gather
from bot.tasks.question import Question
from bot.tasks.reading import NoCache, Reader
from bot.tasks.steps import evaluate

REPOSITORY = RepositoryId(7)
PER_JOB = 100
_JOBS_APART = 1_000_000  # between the job ids of one night and the next


@dataclass
class Stopwatch:
    """Processor seconds by stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - started


@dataclass(frozen=True, slots=True)
class Ground:
    """A generated repository of so many files, and its first night as it was read."""

    made: Generated
    repository: LocalGit
    night: RunEvidence
    config: RepoConfig


def ground(folder: Path, files: int, watch: Stopwatch) -> Ground:
    """Generate it and read the night's logs."""
    jobs = max(1, files // PER_JOB)
    made = generate(folder, Generate(nights=1, jobs=6 + jobs, files_per_job=min(files, PER_JOB), edits=8))
    repository = asyncio.run(open_repository(made.repository))
    source = ArtifactSource([made.runs[0].directory / "attempt-1"])
    (run,) = source.runs
    logs = asyncio.run(collect(source, run, at_once=1))
    with watch.stage("read logs"):
        night = run_evidence(run, [read_job(run, log) for log in logs])
    trusted = replace(night, run=replace(night.run, trusted=True))
    return Ground(made, repository, trusted, RepoConfig(version=1))


def nights(night: RunEvidence, many: int) -> tuple[RunEvidence, ...]:
    """So many nights like this one, a day apart, the oldest first."""
    return tuple(_earlier(night, age) for age in reversed(range(many)))


def _earlier(night: RunEvidence, age: int) -> RunEvidence:
    assert night.run.created_at
    run = replace(
        night.run, run_id=RunId(night.run.run_id - age), created_at=night.run.created_at - timedelta(days=age)
    )
    return replace(night, run=run, jobs=tuple(_moved(job, run.run_id, age) for job in night.jobs))


def _moved(job: JobEvidence, run_id: RunId, age: int) -> JobEvidence:
    number = JobId(job.log.job.job_id + _JOBS_APART * age)
    rows = tuple(replace(row, run_id=run_id, job_id=number) for row in job.rows)
    moved: Job = replace(job.log.job, job_id=number)
    return replace(job, log=replace(job.log, job=moved), rows=rows)


def walk(on: Ground, history: tuple[RunEvidence, ...], store: Store, watch: Stopwatch) -> Evaluation:
    """The newest night into a store that knows the others, evaluated, kept, and written out."""
    for one in history[:-1]:
        store.runs.record(REPOSITORY, one)
    with watch.stage("record"):
        store.runs.record(REPOSITORY, history[-1])
    policy = in_service(policy_from(on.config.estimate, None))
    with watch.stage("load"):
        runs = store.runs.evidence(REPOSITORY, NightWindow(nights=policy.window.nights if policy.window else 400))
    with watch.stage("gather"):
        gathered = asyncio.run(gather(Reader(on.repository, NoCache()), "main", on.made.base, runs, on.config))
    with watch.stage("evaluate"):
        question = Question("heron-lab/heron", gathered, runs, on.config, policy, most_edits=40)
        evaluation = evaluate(question)
    with watch.stage("keep"):
        store.evaluations.record("bench", REPOSITORY, evaluation)
        calls = [call for source in gathered.sources for call in source.registrations]
        store.registrations.see(REPOSITORY, gathered.base_sha, calls)
    with watch.stage("write"):
        evidence_files(evaluation, cited_texts(cited_logs(replace(evaluation, runs=history[-1:]))))
        report(evaluation, Links())
    return evaluation
