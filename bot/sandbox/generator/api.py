"""A generated run and its jobs as GitHub's REST answers, as of its first attempt.

The shapes are the sandbox's own (`bot.sandbox.views_actions`), with github.com's addresses; here
stands only what is particular to a generated run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.domain import CommitSha, JobId, RunId
from bot.sandbox.generator.story import DEFAULT_BRANCH, FULL_NAME, WORKFLOW_NAME, WORKFLOW_PATH
from bot.sandbox.git_store import GitStore
from bot.sandbox.state.accounts import Account, AccountKind
from bot.sandbox.state.actions import RunAttempt
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_actions import job as job_view
from bot.sandbox.views_actions import workflow_run
from bot.sandbox.views_repo import stamp

WEB = "https://github.com"
WORKFLOW_ID = 31_000_001
REPOSITORY_ID = 710_000_001
MADE = datetime(2026, 1, 1, tzinfo=UTC)
_ACTOR = "ada-heron"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is particular to one generated run."""

    run_id: RunId
    number: int
    head_sha: CommitSha
    created_at: datetime
    updated_at: datetime
    conclusion: str


@dataclass(frozen=True, slots=True)
class StepFacts:
    """One step of a job."""

    name: str
    conclusion: str
    started_at: datetime
    completed_at: datetime


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What is particular to one generated job. `log` is None for a skipped job: it has none."""

    job_id: JobId
    name: str
    conclusion: str
    created_at: datetime
    started_at: datetime
    completed_at: datetime
    runner_name: str | None
    labels: tuple[str, ...]
    steps: tuple[StepFacts, ...]
    log: bytes | None


class RestAnswers:
    """What GitHub would answer about the runs of a generated repository."""

    def __init__(self, repository: Path) -> None:
        owner, _, name = FULL_NAME.partition("/")
        account = Account(REPOSITORY_ID + 1, owner, AccountKind.ORGANIZATION)
        self._world = World(repository.parent, api_url="https://api.github.com", html_url=WEB)
        self._world.accounts = {owner: account, _ACTOR: Account(REPOSITORY_ID + 2, _ACTOR)}
        self._repo = Repo(REPOSITORY_ID, account, name, GitStore(repository), MADE)

    def run(self, run: RunFacts) -> dict[str, Any]:
        """GET /repos/{owner}/{repo}/actions/runs/{run_id}."""
        raw = {
            "id": run.run_id,
            "name": WORKFLOW_NAME,
            "head_branch": DEFAULT_BRANCH,
            "head_sha": run.head_sha,
            "path": WORKFLOW_PATH,
            "display_title": WORKFLOW_NAME,
            "run_number": run.number,
            "event": "schedule",
            "status": "completed",
            "conclusion": run.conclusion,
            "workflow_id": WORKFLOW_ID,
            "created_at": stamp(run.created_at),
            "updated_at": stamp(run.updated_at),
            "actor": {"login": _ACTOR},
        }
        return workflow_run(self._world, self._repo, RunAttempt(raw, []))

    def jobs(self, run: RunFacts, jobs: tuple[JobFacts, ...]) -> dict[str, Any]:
        """GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/1/jobs, all pages as one."""
        listed = [job_view(self._world, self._repo, _job(run, job)) for job in jobs]
        return {"total_count": len(listed), "jobs": listed}


def _job(run: RunFacts, job: JobFacts) -> dict[str, Any]:
    ran = job.runner_name is not None
    return {
        "id": job.job_id,
        "run_id": run.run_id,
        "workflow_name": WORKFLOW_NAME,
        "head_branch": DEFAULT_BRANCH,
        "head_sha": run.head_sha,
        "status": "completed",
        "conclusion": job.conclusion,
        "created_at": stamp(job.created_at),
        "started_at": stamp(job.started_at),
        "completed_at": stamp(job.completed_at),
        "name": job.name,
        "labels": list(job.labels),
        "runner_id": int(job.job_id) % 100 + 1 if ran else None,
        "runner_name": job.runner_name,
        "runner_group_id": 1 if ran else None,
        "runner_group_name": "Default" if ran else None,
        "steps": [_step(number, step) for number, step in enumerate(job.steps, start=1)],
    }


def _step(number: int, step: StepFacts) -> dict[str, Any]:
    return {
        "name": step.name,
        "status": "completed",
        "conclusion": step.conclusion,
        "number": number,
        "started_at": stamp(step.started_at),
        "completed_at": stamp(step.completed_at),
    }
