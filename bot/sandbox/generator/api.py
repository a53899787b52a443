"""REST shapes of a generated run: `run.json` and the jobs of its attempt, complete by GitHub's schema.

Key sets are those of the REST description, API version 2022-11-28 (workflow-run, job,
minimal-repository, simple-user). Values that nothing reads are plausible and constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.domain import CommitSha, JobId, RunId
from bot.sandbox.generator.story import DEFAULT_BRANCH, FULL_NAME, REPOSITORY_ID, WORKFLOW_NAME, WORKFLOW_PATH

API = "https://api.github.com"
WEB = "https://github.com"
WORKFLOW_ID = 31_000_001
_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is particular to one generated run (its first attempt)."""

    run_id: RunId
    number: int
    head_sha: CommitSha
    tree_sha: str
    message: str
    committed_at: datetime
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


def iso(when: datetime) -> str:
    """GitHub's form of a time: UTC to the second."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def run_json(facts: RunFacts) -> dict[str, Any]:
    """GET /repos/{owner}/{repo}/actions/runs/{run_id}."""
    url = f"{API}/repos/{FULL_NAME}/actions/runs/{facts.run_id}"
    suite_id = int(facts.run_id) + 1
    person = {"name": "Ada Heron", "email": "ada@heron.invalid"}
    return {
        "id": facts.run_id,
        "name": WORKFLOW_NAME,
        "node_id": f"WFR_{facts.run_id}",
        "head_branch": DEFAULT_BRANCH,
        "head_sha": facts.head_sha,
        "path": WORKFLOW_PATH,
        "display_title": WORKFLOW_NAME,
        "run_number": facts.number,
        "event": "schedule",
        "status": "completed",
        "conclusion": facts.conclusion,
        "workflow_id": WORKFLOW_ID,
        "check_suite_id": suite_id,
        "check_suite_node_id": f"CS_{suite_id}",
        "url": url,
        "html_url": f"{WEB}/{FULL_NAME}/actions/runs/{facts.run_id}",
        "pull_requests": [],
        "created_at": iso(facts.created_at),
        "updated_at": iso(facts.updated_at),
        "actor": user_json("ada-heron", 710_000_003, "User"),
        "run_attempt": 1,
        "referenced_workflows": [],
        "run_started_at": iso(facts.created_at),
        "triggering_actor": user_json("ada-heron", 710_000_003, "User"),
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{API}/repos/{FULL_NAME}/check-suites/{suite_id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": None,
        "workflow_url": f"{API}/repos/{FULL_NAME}/actions/workflows/{WORKFLOW_ID}",
        "head_commit": {
            "id": facts.head_sha,
            "tree_id": facts.tree_sha,
            "message": facts.message,
            "timestamp": iso(facts.committed_at),
            "author": person,
            "committer": person,
        },
        "repository": repository_json(),
        "head_repository": repository_json(),
    }


def jobs_json(run: RunFacts, jobs: tuple[JobFacts, ...]) -> dict[str, Any]:
    """GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/1/jobs, all pages as one."""
    return {"total_count": len(jobs), "jobs": [_job_json(run, job) for job in jobs]}


def _job_json(run: RunFacts, job: JobFacts) -> dict[str, Any]:
    api = f"{API}/repos/{FULL_NAME}"
    ran = job.runner_name is not None
    return {
        "id": job.job_id,
        "run_id": run.run_id,
        "workflow_name": WORKFLOW_NAME,
        "head_branch": DEFAULT_BRANCH,
        "run_url": f"{api}/actions/runs/{run.run_id}",
        "run_attempt": 1,
        "node_id": f"CR_{job.job_id}",
        "head_sha": run.head_sha,
        "url": f"{api}/actions/jobs/{job.job_id}",
        "html_url": f"{WEB}/{FULL_NAME}/actions/runs/{run.run_id}/job/{job.job_id}",
        "status": "completed",
        "conclusion": job.conclusion,
        "created_at": iso(job.created_at),
        "started_at": iso(job.started_at),
        "completed_at": iso(job.completed_at),
        "name": job.name,
        "steps": [_step_json(number + 1, step) for number, step in enumerate(job.steps)],
        "check_run_url": f"{api}/check-runs/{job.job_id}",
        "labels": list(job.labels),
        "runner_id": int(job.job_id) % 100 + 1 if ran else None,
        "runner_name": job.runner_name,
        "runner_group_id": 1 if ran else None,
        "runner_group_name": "Default" if ran else None,
    }


def _step_json(number: int, step: StepFacts) -> dict[str, Any]:
    return {
        "name": step.name,
        "status": "completed",
        "conclusion": step.conclusion,
        "number": number,
        "started_at": iso(step.started_at),
        "completed_at": iso(step.completed_at),
    }


def user_json(login: str, user_id: int, kind: str) -> dict[str, Any]:
    """A `simple-user`; `kind` is `User` or `Organization`."""
    url = f"{API}/users/{login}"
    return {
        "login": login,
        "id": user_id,
        "node_id": f"U_{user_id}",
        "avatar_url": f"{WEB}/{login}.png",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{WEB}/{login}",
        **{key: url + tail for key, tail in _USER_LINKS.items()},
        "type": kind,
        "site_admin": False,
    }


def repository_json() -> dict[str, Any]:
    """The generated repository as a `minimal-repository`."""
    owner, _, name = FULL_NAME.partition("/")
    url = f"{API}/repos/{FULL_NAME}"
    return {
        "id": REPOSITORY_ID,
        "node_id": f"R_{REPOSITORY_ID}",
        "name": name,
        "full_name": FULL_NAME,
        "private": False,
        "owner": user_json(owner, 710_000_002, "Organization"),
        "html_url": f"{WEB}/{FULL_NAME}",
        "description": "An invented training library",
        "fork": False,
        "url": url,
        **{key: url + tail for key, tail in _REPOSITORY_LINKS.items()},
    }
