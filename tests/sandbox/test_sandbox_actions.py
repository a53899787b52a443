"""Runs, attempts, jobs by page, and logs from the second origin."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.errors import UserError
from bot.sandbox import scenario
from bot.sandbox.state.actions import LogFate
from tests.sandbox.hub import Hub, http

RUN = 77
LOG = b"\xef\xbb\xbf2026-08-02T15:00:00.0000000Z hello\n"


def job(number: int, attempt: int = 1, **more: Any) -> dict[str, Any]:
    at = "2026-08-02T15:10:00Z"
    return {
        "id": number,
        "run_id": RUN,
        "run_attempt": attempt,
        "workflow_name": "PR Test",
        "head_branch": "main",
        "head_sha": "0" * 40,
        "status": "completed",
        "conclusion": "success",
        "created_at": at,
        "started_at": at,
        "completed_at": at,
        "name": f"job {number}",
        "labels": [],
        "runner_id": 1,
        "runner_name": "r1",
        "runner_group_id": 0,
        "runner_group_name": "g",
        "steps": [{"name": "s", "status": "completed", "conclusion": "success", "number": 1}],
        **more,
    }


def run_directory(hub: Hub, where: Path, jobs: dict[int, list[dict[str, Any]]]) -> Path:
    """A run directory with the given jobs of each attempt; every job has a log."""
    base = {
        "id": RUN,
        "name": "PR Test",
        "head_branch": "main",
        "head_sha": hub.repo.git.ref("refs/heads/main"),
        "path": ".github/workflows/pr-test.yml",
        "display_title": "PR Test",
        "run_number": 5,
        "event": "schedule",
        "status": "completed",
        "conclusion": "failure",
        "workflow_id": 9,
        "created_at": "2026-08-02T15:07:52Z",
        "updated_at": "2026-08-02T18:00:00Z",
        "actor": {"login": "mona"},
    }
    (where / "api").mkdir(parents=True)
    for attempt, listed in jobs.items():
        name = "run.json" if attempt == max(jobs) else f"run-attempt-{attempt}.json"
        (where / "api" / name).write_text(json.dumps({**base, "run_attempt": attempt}))
        (where / "api" / f"attempt-{attempt}-jobs.json").write_text(json.dumps({"jobs": listed}))
        for it in listed:
            folder = where / f"attempt-{attempt}" / "jobs" / str(it["id"])
            folder.mkdir(parents=True)
            (folder / f"job-{it['id']}.log").write_bytes(LOG)
    return where


@pytest.fixture
def night(hub: Hub, tmp_path: Path) -> Hub:
    """A run of two attempts, one job each."""
    scenario.add_run(hub.world, hub.repo, run_directory(hub, tmp_path / "run", {1: [job(11)], 2: [job(12, 2)]}))
    return hub


def test_137_jobs_come_in_pages_that_add_up(hub: Hub, tmp_path: Path) -> None:
    jobs = [job(1000 + at) for at in range(137)]
    scenario.add_run(hub.world, hub.repo, run_directory(hub, tmp_path / "run", {1: jobs}))
    url, seen, pages = f"/actions/runs/{RUN}/attempts/1/jobs?per_page=100", [], 0
    while url:
        reply = hub.call("GET", url)
        assert reply.json["total_count"] == 137
        seen += [it["id"] for it in reply.json["jobs"]]
        found = re.search(r'<([^>]+)>; rel="next"', reply.headers.get("Link") or "")
        url, pages = (found.group(1) if found else ""), pages + 1
    assert (seen, pages) == ([it["id"] for it in jobs], 2)


def test_a_page_holds_30_unless_asked_and_100_at_most(hub: Hub, tmp_path: Path) -> None:
    jobs = [job(1000 + at) for at in range(137)]
    scenario.add_run(hub.world, hub.repo, run_directory(hub, tmp_path / "run", {1: jobs}))
    assert len(hub.call("GET", f"/actions/runs/{RUN}/jobs").json["jobs"]) == 30
    assert len(hub.call("GET", f"/actions/runs/{RUN}/jobs?per_page=500").json["jobs"]) == 100
    assert hub.call("GET", f"/actions/runs/{RUN}/jobs?page=9").json["jobs"] == []


def test_attempts_are_told_apart(night: Hub) -> None:
    assert night.call("GET", f"/actions/runs/{RUN}").json["run_attempt"] == 2
    assert night.call("GET", f"/actions/runs/{RUN}/attempts/1").json["run_attempt"] == 1
    assert [it["id"] for it in night.call("GET", f"/actions/runs/{RUN}/attempts/1/jobs").json["jobs"]] == [11]
    assert [it["id"] for it in night.call("GET", f"/actions/runs/{RUN}/jobs").json["jobs"]] == [12]
    assert night.call("GET", f"/actions/runs/{RUN}/jobs?filter=all").json["total_count"] == 2
    assert night.call("GET", f"/actions/runs/{RUN}/attempts/3").status == 404


def test_only_the_attempts_asked_for_are_there(hub: Hub, tmp_path: Path) -> None:
    where = run_directory(hub, tmp_path / "run", {1: [job(11)], 2: [job(12, 2)]})
    scenario.add_run(hub.world, hub.repo, where, [1])
    assert hub.call("GET", f"/actions/runs/{RUN}").json["run_attempt"] == 1
    scenario.add_run(hub.world, hub.repo, where, [2])
    assert hub.call("GET", f"/actions/runs/{RUN}").json["run_attempt"] == 2


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 1),
        ("?branch=main&event=schedule&status=completed", 1),
        ("?status=failure", 1),
        ("?event=push", 0),
        ("?created=>=2026-08-02", 1),
        ("?created=2026-08-01..2026-08-03", 1),
        ("?created=<2026-08-02", 0),
        ("?created=2026-08-03..*", 0),
    ],
)
def test_runs_are_narrowed(night: Hub, query: str, count: int) -> None:
    for path in ("/actions/runs", "/actions/workflows/pr-test.yml/runs", "/actions/workflows/9/runs"):
        assert night.call("GET", path + query).json["total_count"] == count


def test_an_unknown_workflow_is_404(night: Hub) -> None:
    assert night.call("GET", "/actions/workflows/none.yml/runs").status == 404


def test_a_log_is_a_redirect_to_an_origin_that_takes_no_token(night: Hub) -> None:
    reply = night.call("GET", "/actions/jobs/12/logs")
    target = reply.headers["Location"]
    assert reply.status == 302
    assert target.startswith(night.running.urls.logs)
    assert not target.startswith(night.running.urls.html)
    assert http("GET", target).body == LOG
    assert http("GET", target, headers={"Authorization": f"token {night.default_token()}"}).status == 400


def test_a_log_link_lives_one_minute_and_holds_for_its_job_alone(night: Hub) -> None:
    target = night.call("GET", "/actions/jobs/12/logs").headers["Location"]
    assert http("GET", target.replace("/12?", "/11?")).status == 403
    night.clock.forward(seconds=60)
    assert http("GET", target).status == 200
    night.clock.forward(seconds=1)
    assert http("GET", target).status == 403


@pytest.mark.parametrize(
    ("fate", "status"), [(LogFate.GONE, 410), (LogFate.NOT_FOUND, 404), (LogFate.FORBIDDEN, 403), (LogFate.EMPTY, 302)]
)
def test_what_became_of_a_log_is_told(night: Hub, fate: LogFate, status: int) -> None:
    night.repo.logs[12].fate = fate
    reply = night.call("GET", "/actions/jobs/12/logs")
    assert reply.status == status
    if fate is LogFate.EMPTY:
        assert http("GET", reply.headers["Location"]).body == b""


def test_a_link_that_expired_can_be_asked_for_again(night: Hub) -> None:
    night.repo.logs[12].fate = LogFate.EXPIRED_LINK
    assert http("GET", night.call("GET", "/actions/jobs/12/logs").headers["Location"]).status == 403
    assert http("GET", night.call("GET", "/actions/jobs/12/logs").headers["Location"]).body == LOG


def test_the_count_may_differ_from_the_jobs_where_a_scenario_says_so(night: Hub) -> None:
    night.repo.runs[RUN][2].total_count = 5
    assert night.call("GET", f"/actions/runs/{RUN}/attempts/2/jobs").json["total_count"] == 5


def test_a_directory_that_is_no_run_is_refused_by_name(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "run.json").write_text("[]")
    with pytest.raises(UserError, match="not a JSON object"):
        scenario.add_run(hub.world, hub.repo, tmp_path)
