"""Issues, comments, labels, reactions and pull requests as GitHub's JSON."""

from __future__ import annotations

from urllib.parse import quote

from bot.sandbox.state import Json
from bot.sandbox.state.accounts import Account, App
from bot.sandbox.state.issues import Comment, Issue, Label, Pull, Reaction
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import account, api_url, app, html_url, node_id, repository, stamp

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def association(repo: Repo, who: Account) -> str:
    """GitHub's `author_association`: a hint for people, not a permission."""
    if who == repo.owner:
        return "OWNER"
    return repo.associations.get(who.login, "COLLABORATOR" if who.login in repo.roles else "NONE")


def label(world: World, repo: Repo, it: Label) -> Json:
    """A label as the label endpoints show it."""
    return {**_label(world, repo, it), "archived_at": None}


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
        "html_url": _html(world, repo, it),
        "number": it.number,
        "state": it.state,
        "state_reason": it.state_reason,
        "title": it.title,
        "body": it.body,
        "user": account(world, it.author),
        "labels": [_label(world, repo, item) for item in it.labels],
        **_assignees(world, it),
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
        html = _html(world, repo, it)
        out["draft"] = it.pull.draft
        out["pull_request"] = {
            "url": f"{api_url(world, repo)}/pulls/{it.number}",
            "html_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "merged_at": stamp(it.pull.merged_at),
        }
    return out


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
        "html_url": f"{_html(world, repo, repo.issues[it.number])}#issuecomment-{it.id}",
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


def pull(world: World, repo: Repo, it: Issue) -> Json:
    """A pull request as lists show it ("pull request simple")."""
    details = _details(it)
    url, html = f"{api_url(world, repo)}/pulls/{it.number}", _html(world, repo, it)
    links = _links(world, repo, it)
    return {
        "id": details.id,
        "node_id": node_id("PR", details.id),
        "url": url,
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": links["issue"],
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "number": it.number,
        "state": it.state,
        "locked": it.locked,
        "active_lock_reason": None,
        "title": it.title,
        "user": account(world, it.author),
        "body": it.body,
        "labels": [_label(world, repo, item) for item in it.labels],
        "milestone": None,
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "closed_at": stamp(it.closed_at),
        "merged_at": stamp(details.merged_at),
        "merge_commit_sha": details.merge_sha,
        **_assignees(world, it),
        "requested_reviewers": [account(world, who) for who in details.reviewers],
        "requested_teams": [],
        "head": _side(world, details.fork or repo, details.head_ref, details.head_sha),
        "base": _side(world, repo, details.base_ref, details.base_sha),
        "_links": {name: {"href": target} for name, target in links.items()},
        "author_association": association(repo, it.author),
        "auto_merge": None,
        "draft": details.draft,
    }


def full_pull(world: World, repo: Repo, it: Issue) -> Json:
    """A pull request as its own endpoint and webhooks show it."""
    details = _details(it)
    start = repo.git.merge_base(details.base_sha, details.head_sha) or details.base_sha
    files = repo.git.diff(start, details.head_sha)
    clean = it.closed_at is None and repo.git.merges_cleanly(details.base_sha, details.head_sha) is not None
    return {
        **pull(world, repo, it),
        "merged": details.merged_at is not None,
        "mergeable": clean if it.closed_at is None else None,
        "rebaseable": clean if it.closed_at is None else None,
        "mergeable_state": _mergeable_state(it, details, clean=clean),
        "merged_by": account(world, details.merged_by) if details.merged_by else None,
        "comments": sum(item.number == it.number for item in repo.comments.values()),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(repo.git.log(f"{start}..{details.head_sha}")),
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }


def pull_minimal(world: World, repo: Repo, it: Issue) -> Json:
    """A pull request as inside check runs."""
    details = _details(it)
    own = {"id": repo.id, "url": api_url(world, repo), "name": repo.name}
    return {
        "id": details.id,
        "number": it.number,
        "url": f"{api_url(world, repo)}/pulls/{it.number}",
        "head": {"ref": details.head_ref, "sha": details.head_sha, "repo": own},
        "base": {"ref": details.base_ref, "sha": details.base_sha, "repo": own},
    }


def _details(it: Issue) -> Pull:
    if it.pull is None:
        raise ValueError(f"#{it.number} is not a pull request")
    return it.pull


def _mergeable_state(it: Issue, details: Pull, *, clean: bool) -> str:
    if it.closed_at is not None:
        return "unknown"
    if details.draft:
        return "draft"
    return "clean" if clean else "dirty"


def _links(world: World, repo: Repo, it: Issue) -> dict[str, str]:
    url = api_url(world, repo)
    return {
        "self": f"{url}/pulls/{it.number}",
        "html": _html(world, repo, it),
        "issue": f"{url}/issues/{it.number}",
        "comments": f"{url}/issues/{it.number}/comments",
        "review_comments": f"{url}/pulls/{it.number}/comments",
        "review_comment": f"{url}/pulls/comments{{/number}}",
        "commits": f"{url}/pulls/{it.number}/commits",
        "statuses": f"{url}/statuses/{_details(it).head_sha}",
    }


def _side(world: World, repo: Repo, ref: str, sha: str) -> Json:
    return {
        "label": f"{repo.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": account(world, repo.owner),
        "repo": repository(world, repo),
    }


def _html(world: World, repo: Repo, it: Issue) -> str:
    return f"{html_url(world, repo)}/{'issues' if it.pull is None else 'pull'}/{it.number}"


def _label(world: World, repo: Repo, it: Label) -> Json:
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


def _assignees(world: World, it: Issue) -> Json:
    people = [account(world, who) for who in it.assignees]
    return {"assignee": people[0] if people else None, "assignees": people}


def _app(world: World, it: App | None) -> Json | None:
    return None if it is None else app(world, it)
