"""Issues with their comments, labels and reactions as GitHub's JSON; a pull request is an issue, too.

What only a pull request has is `bot.sandbox.views_pulls`' part.
"""

from __future__ import annotations

from urllib.parse import quote

from bot.sandbox.state import Json
from bot.sandbox.state.accounts import Account, App
from bot.sandbox.state.issues import Comment, Issue, Label, Reaction
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import account, api_url, app, html_url, node_id, stamp

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def association(repo: Repo, who: Account) -> str:
    """GitHub's `author_association`: a hint for people, not a permission."""
    if who == repo.owner:
        return "OWNER"
    return repo.associations.get(who.login, "COLLABORATOR" if who.login in repo.roles else "NONE")


def label(world: World, repo: Repo, it: Label) -> Json:
    """A label as the label endpoints show it."""
    return {**plain_label(world, repo, it), "archived_at": None}


def issue(world: World, repo: Repo, it: Issue) -> Json:
    """An issue; a pull request is one, too."""
    url = f"{api_url(world, repo)}/issues/{it.number}"
    out: Json = {
        "id": it.id,
        "node_id": node_id("I", it.id),
        "url": url,
        "repository_url": api_url(world, repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": address(world, repo, it),
        "number": it.number,
        "state": it.state,
        "state_reason": it.state_reason,
        "title": it.title,
        "body": it.body,
        "user": account(world, it.author),
        "labels": [plain_label(world, repo, item) for item in it.labels],
        **assignees(world, it),
        "milestone": None,
        "locked": it.locked,
        "active_lock_reason": None,
        "comments": sum(comment.number == it.number for comment in repo.comments.values()),
        "closed_at": stamp(it.closed_at),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "author_association": association(repo, it.author),
        "performed_via_github_app": _app(world, it.app),
        "reactions": rollup(repo, ("issue", it.number), f"{url}/reactions"),
    }
    if it.pull is not None:
        out["draft"] = it.pull.draft
        out["pull_request"] = {**addresses(world, repo, it), "merged_at": stamp(it.pull.merged_at)}
    return out


def addresses(world: World, repo: Repo, it: Issue) -> Json:
    """Where a pull request is, as data and as a page, and its changes in two formats."""
    html = address(world, repo, it)
    return {
        "url": f"{api_url(world, repo)}/pulls/{it.number}",
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
    }


def issue_with_closer(world: World, repo: Repo, it: Issue) -> Json:
    """An issue as its own endpoint shows it: with who closed it."""
    return {**issue(world, repo, it), "closed_by": account(world, it.closed_by) if it.closed_by else None}


def comment(world: World, repo: Repo, it: Comment) -> Json:
    """One comment."""
    url = f"{api_url(world, repo)}/issues/comments/{it.id}"
    return {
        "id": it.id,
        "node_id": node_id("IC", it.id),
        "url": url,
        "html_url": f"{address(world, repo, repo.issues[it.number])}#issuecomment-{it.id}",
        "issue_url": f"{api_url(world, repo)}/issues/{it.number}",
        "body": it.body,
        "user": account(world, it.author),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "author_association": association(repo, it.author),
        "performed_via_github_app": _app(world, it.app),
        "reactions": rollup(repo, ("comment", it.id), f"{url}/reactions"),
    }


def reaction(world: World, it: Reaction) -> Json:
    """One reaction."""
    return {
        "id": it.id,
        "node_id": node_id("REA", it.id),
        "user": account(world, it.author),
        "content": it.content,
        "created_at": stamp(it.created_at),
    }


def rollup(repo: Repo, subject: tuple[str, int], url: str) -> Json:
    """How many reactions of each kind."""
    given = [item.content for item in repo.reactions.get(subject, [])]
    return {"url": url, "total_count": len(given), **{name: given.count(name) for name in REACTIONS}}


def address(world: World, repo: Repo, it: Issue) -> str:
    """The page of an issue or a pull request."""
    return f"{html_url(world, repo)}/{'issues' if it.pull is None else 'pull'}/{it.number}"


def plain_label(world: World, repo: Repo, it: Label) -> Json:
    """A label as inside an issue."""
    return {
        "id": it.id,
        "node_id": node_id("LA", it.id),
        "url": f"{api_url(world, repo)}/labels/{quote(it.name, safe='')}",
        "name": it.name,
        "color": it.color,
        "default": False,
        "description": it.description,
        "archived_by": None,
    }


def assignees(world: World, it: Issue) -> Json:
    """Both of GitHub's words for who an issue is assigned to."""
    people = [account(world, who) for who in it.assignees]
    return {"assignee": people[0] if people else None, "assignees": people}


def _app(world: World, it: App | None) -> Json | None:
    return None if it is None else app(world, it)
