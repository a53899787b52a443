"""Workflow runs, their jobs and workflows as GitHub's JSON, from what a scenario's `api/*.json` holds.

A scenario's file may be incomplete or name another host: identity and times are taken from it,
every URL, the repository and the actors are this sandbox's own.
"""

from __future__ import annotations

from bot.sandbox.state import Json
from bot.sandbox.state.actions import RunAttempt, Workflow
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import account, api_url, html_url, minimal_repository, node_id, stamp

_RUN_FIELDS = (
    "id",
    "name",
    "head_branch",
    "head_sha",
    "path",
    "display_title",
    "run_number",
    "event",
    "status",
    "conclusion",
    "workflow_id",
    "created_at",
    "updated_at",
)
_JOB_FIELDS = (
    "id",
    "run_id",
    "workflow_name",
    "head_branch",
    "head_sha",
    "status",
    "conclusion",
    "created_at",
    "started_at",
    "completed_at",
    "name",
    "labels",
    "runner_id",
    "runner_name",
    "runner_group_id",
    "runner_group_name",
)


def workflow_run(world: World, repo: Repo, attempt: RunAttempt) -> Json:
    """One attempt as GitHub's "workflow run"."""
    raw, number = attempt.run, int(attempt.run.get("run_attempt") or 1)
    url = f"{api_url(world, repo)}/actions/runs/{raw['id']}"
    suite = int(raw.get("check_suite_id") or raw["id"])
    actor = account(world, world.account(str((raw.get("actor") or {}).get("login") or repo.owner.login)))
    own = minimal_repository(world, repo)
    return {
        **{key: raw.get(key) for key in _RUN_FIELDS},
        "node_id": node_id("WFR", raw["id"]),
        "check_suite_id": suite,
        "check_suite_node_id": node_id("CS", suite),
        "url": url,
        "html_url": f"{html_url(world, repo)}/actions/runs/{raw['id']}",
        "pull_requests": [],
        "actor": actor,
        "triggering_actor": actor,
        "run_attempt": number,
        "referenced_workflows": [],
        "run_started_at": raw.get("run_started_at") or raw["created_at"],
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{api_url(world, repo)}/check-suites/{suite}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{number - 1}" if number > 1 else None,
        "workflow_url": f"{api_url(world, repo)}/actions/workflows/{raw['workflow_id']}",
        "head_commit": head_commit(repo, str(raw["head_sha"])),
        "repository": own,
        "head_repository": own,
    }


def job(world: World, repo: Repo, raw: Json) -> Json:
    """GitHub's "job"."""
    return {
        **{key: raw.get(key) for key in _JOB_FIELDS},
        "labels": raw.get("labels") or [],
        "node_id": node_id("CR", raw["id"]),
        "run_attempt": int(raw.get("run_attempt") or 1),
        "run_url": f"{api_url(world, repo)}/actions/runs/{raw['run_id']}",
        "url": f"{api_url(world, repo)}/actions/jobs/{raw['id']}",
        "html_url": f"{html_url(world, repo)}/actions/runs/{raw['run_id']}/job/{raw['id']}",
        "check_run_url": f"{api_url(world, repo)}/check-runs/{raw['id']}",
        "steps": [_step(step) for step in raw.get("steps") or []],
    }


def workflow(world: World, repo: Repo, it: Workflow) -> Json:
    """GitHub's "workflow"."""
    made = stamp(repo.created_at)
    return {
        "id": it.id,
        "node_id": node_id("W", it.id),
        "name": it.name,
        "path": it.path,
        "state": "active",
        "created_at": made,
        "updated_at": made,
        "url": f"{api_url(world, repo)}/actions/workflows/{it.id}",
        "html_url": f"{html_url(world, repo)}/blob/{repo.default_branch}/{it.path}",
        "badge_url": f"{html_url(world, repo)}/workflows/badge.svg",
    }


def _step(raw: Json) -> Json:
    keys = ("name", "status", "conclusion", "number", "started_at", "completed_at")
    return {key: raw.get(key) for key in keys}


def head_commit(repo: Repo, sha: str) -> Json | None:
    """The run's commit, None where this repository does not have it."""
    if repo.git.commit_of(sha) != sha:
        return None
    found = repo.git.commit(sha)
    return {
        "id": sha,
        "tree_id": found.tree,
        "message": found.message,
        "timestamp": stamp(found.committer.date),
        "author": {"name": found.author.name, "email": found.author.email},
        "committer": {"name": found.committer.name, "email": found.committer.email},
    }
