"""The payloads of the webhooks an App hears: complete objects, from what the world holds."""

from __future__ import annotations

from collections.abc import Sequence

from bot.sandbox import views_actions, views_checks, views_issues, views_pulls
from bot.sandbox import views_repo as view
from bot.sandbox.state import Json
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.issues import Comment, Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World


def workflow_run(world: World, repo: Repo, run_id: int, attempt: int, action: str = "completed") -> Json:
    """`workflow_run`: one attempt of one run."""
    it = repo.runs[run_id][attempt]
    run = views_actions.workflow_run(world, repo, it)
    workflow = next((known for known in repo.workflows if known.id == run["workflow_id"]), None)
    return {
        "action": action,
        "workflow_run": run,
        "workflow": views_actions.workflow(world, repo, workflow) if workflow else None,
        **_common(world, repo, world.account(run["actor"]["login"])),
    }


def issue_comment(world: World, repo: Repo, comment: Comment, action: str = "created") -> Json:
    """`issue_comment`: on an issue or a pull request."""
    issue = views_issues.issue(world, repo, repo.issues[comment.number])
    issue["labels"] = [_without(it, "archived_by") for it in issue["labels"]]
    if issue["performed_via_github_app"]:
        issue["performed_via_github_app"] = _without(issue["performed_via_github_app"], "client_id")
    payload: Json = {
        "action": action,
        "issue": issue,
        "comment": views_issues.comment(world, repo, comment),
        **_common(world, repo, comment.author),
    }
    return {**payload, "changes": {}} if action == "edited" else payload


def pull_request(world: World, repo: Repo, issue: Issue, action: str, sender: Account) -> Json:
    """`pull_request`: opened, synchronize, closed, reopened, edited."""
    payload: Json = {
        "action": action,
        "number": issue.number,
        "pull_request": views_pulls.full_pull(world, repo, issue),
        **_common(world, repo, sender),
    }
    if action == "edited":
        payload["changes"] = {}
    if action == "synchronize" and issue.pull is not None:
        payload |= {"before": issue.pull.previous_sha or issue.pull.base_sha, "after": issue.pull.head_sha}
    return payload


def check_run(world: World, repo: Repo, it: CheckRun, action: str, sender: Account) -> Json:
    """`check_run`: rerequested, or the button `requested_action` with its identifier after a colon."""
    action, _, identifier = action.partition(":")
    payload: Json = {
        "action": action,
        "check_run": {
            **views_checks.check_run(world, repo, it),
            "check_suite": {"id": it.suite_id, "head_sha": it.head_sha, "head_branch": None},
        },
        **_common(world, repo, sender),
    }
    return {**payload, "requested_action": {"identifier": identifier}} if identifier else payload


def check_suite(world: World, repo: Repo, it: CheckRun, sender: Account) -> Json:
    """`check_suite`: rerequested, for all check runs of one App on the commit of one of them."""
    return {
        "action": "rerequested",
        "check_suite": views_checks.check_suite(world, repo, it),
        **_common(world, repo, sender),
    }


def installation(world: World, it: Installation, action: str = "created") -> Json:
    """`installation`: created, deleted, suspend, unsuspend, new_permissions_accepted."""
    payload: Json = {
        "action": action,
        "installation": view.installation(world, it),
        "repositories": [_short(repo) for repo in _covered(world, it)],
        "sender": view.account(world, it.account),
    }
    if action == "created":
        payload["requester"] = None
    return payload


def installation_repositories(
    world: World, it: Installation, added: Sequence[Repo], removed: Sequence[Repo] = ()
) -> Json:
    """`installation_repositories`: the selection changed."""
    return {
        "action": "added" if added else "removed",
        "installation": view.installation(world, it),
        "repository_selection": "all" if it.repositories is None else "selected",
        "repositories_added": [_short(repo) for repo in added],
        "repositories_removed": [_short(repo) for repo in removed],
        "requester": None,
        "sender": view.account(world, it.account),
    }


def _without(it: Json, key: str) -> Json:
    """The issue inside this event is described with fewer keys than the issue of the REST API."""
    return {name: value for name, value in it.items() if name != key}


def _common(world: World, repo: Repo, sender: Account) -> Json:
    it = world.installation_for(repo)
    common: Json = {"repository": view.repository(world, repo), "sender": view.account(world, sender)}
    if it is not None:
        common["installation"] = {"id": it.id, "node_id": view.node_id("IN", it.id)}
    return common


def _covered(world: World, it: Installation) -> list[Repo]:
    return [
        repo
        for repo in world.repos.values()
        if repo.owner == it.account and (it.repositories is None or repo.id in it.repositories)
    ]


def _short(repo: Repo) -> Json:
    return {
        "id": repo.id,
        "node_id": view.node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }
