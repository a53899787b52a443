"""Reviews of pull requests as GitHub's JSON."""

from __future__ import annotations

from bot.sandbox.state import Json
from bot.sandbox.state.issues import Review
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_issues import association
from bot.sandbox.views_repo import account, api_url, html_url, node_id, stamp


def review(world: World, repo: Repo, it: Review) -> Json:
    """A submitted review."""
    html = f"{html_url(world, repo)}/pull/{it.number}#pullrequestreview-{it.id}"
    pull = f"{api_url(world, repo)}/pulls/{it.number}"
    return {
        "id": it.id,
        "node_id": node_id("PRR", it.id),
        "user": account(world, it.author),
        "body": it.body,
        "state": "COMMENTED",
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(repo, it.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "submitted_at": stamp(it.submitted_at),
        "commit_id": it.commit,
    }
