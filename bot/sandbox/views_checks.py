"""Check runs and their annotations as GitHub's JSON."""

from __future__ import annotations

from bot.sandbox.state import Json
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_actions import head_commit
from bot.sandbox.views_pulls import pull_minimal
from bot.sandbox.views_repo import api_url, app, html_url, node_id, stamp


def check_run(world: World, repo: Repo, it: CheckRun) -> Json:
    """One check run."""
    url, html = f"{api_url(world, repo)}/check-runs/{it.id}", f"{html_url(world, repo)}/runs/{it.id}"
    heads = [
        pull
        for pull in repo.pulls()
        if pull.pull and pull.closed_at is None and pull.pull.head_sha == it.head_sha and pull.pull.fork is None
    ]
    return {
        "id": it.id,
        "head_sha": it.head_sha,
        "node_id": node_id("CR", it.id),
        "external_id": it.external_id,
        "url": url,
        "html_url": html,
        "details_url": it.details_url or html,
        "status": it.status,
        "conclusion": it.conclusion,
        "started_at": stamp(it.started_at),
        "completed_at": stamp(it.completed_at),
        "output": {
            "title": it.title,
            "summary": it.summary,
            "text": it.text,
            "annotations_count": len(it.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "name": it.name,
        "check_suite": {"id": it.suite_id},
        "app": app(world, it.app),
        "pull_requests": [pull_minimal(world, repo, pull) for pull in heads],
    }


def check_suite(world: World, repo: Repo, it: CheckRun) -> Json:
    """The suite of one check run, asked for again: GitHub clears how it stood. No pull request is listed."""
    url = f"{api_url(world, repo)}/check-suites/{it.suite_id}"
    same = [one for one in repo.checks.values() if (one.app, one.head_sha) == (it.app, it.head_sha)]
    return {
        "id": it.suite_id,
        "node_id": node_id("CS", it.suite_id),
        "head_branch": None,
        "head_sha": it.head_sha,
        "head_commit": head_commit(repo, it.head_sha),
        "status": "queued",
        "conclusion": None,
        "url": url,
        "check_runs_url": f"{url}/check-runs",
        "latest_check_runs_count": len({one.name for one in same}),
        "before": None,
        "after": None,
        "pull_requests": [],
        "app": app(world, it.app),
        "created_at": stamp(it.started_at),
        "updated_at": stamp(world.clock()),
        "rerequestable": True,
        "runs_rerequestable": True,
    }


def annotation(world: World, repo: Repo, it: CheckRun, raw: Json) -> Json:
    """One annotation."""
    keys = ("path", "start_line", "end_line", "start_column", "end_column", "annotation_level", "title", "message")
    return {
        **{key: raw.get(key) for key in keys},
        "raw_details": raw.get("raw_details"),
        "blob_href": f"{html_url(world, repo)}/blob/{it.head_sha}/{raw['path']}",
    }
