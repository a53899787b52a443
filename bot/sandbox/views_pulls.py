"""Pull requests as GitHub's JSON. What one shares with an issue is rendered by `bot.sandbox.views_issues`."""

from __future__ import annotations

from bot.sandbox.state import Json
from bot.sandbox.state.issues import Issue, Pull
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_issues import address, addresses, assignees, association, plain_label
from bot.sandbox.views_repo import account, api_url, node_id, repository, stamp


def pull(world: World, repo: Repo, it: Issue) -> Json:
    """A pull request as lists show it ("pull request simple")."""
    details = _details(it)
    links = _links(world, repo, it)
    return {
        "id": details.id,
        "node_id": node_id("PR", details.id),
        **addresses(world, repo, it),
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
        "labels": [plain_label(world, repo, item) for item in it.labels],
        "milestone": None,
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "closed_at": stamp(it.closed_at),
        "merged_at": stamp(details.merged_at),
        "merge_commit_sha": details.merge_sha,
        **assignees(world, it),
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
        "html": address(world, repo, it),
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
