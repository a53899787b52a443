"""Worlds from data: a scenario file, the measured nights, and what is wrong with a bad file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.sandbox import scenario
from bot.sandbox.state.actions import LogFate
from tests.sandbox.hub import Hub, http


def write(path: Path, **data: object) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_a_scenario_file_becomes_a_world(tmp_path: Path, small_repository: Path) -> None:
    entry = {
        "name": "octo/tests",
        "source": str(small_repository),
        "private": True,
        "roles": {"mona": "admin"},
        "protected": ["refs/heads/main"],
        "logs": {"4711": "gone"},
    }
    path = write(
        tmp_path / "s.json",
        app={"webhook_url": "http://127.0.0.1:1/webhook", "secret": "s"},
        repositories=[entry],
        deliver=[{"run": 5}],
    )
    made = scenario.load(path, tmp_path / "world")
    repo = made.world.repo("OCTO/tests")
    assert repo is not None
    assert repo.private
    assert repo.is_protected("refs/heads/main")
    assert repo.logs[4711].fate is LogFate.GONE
    assert made.access.app.webhook_secret == "s"
    assert made.deliver == (scenario.Planned(5, 1),)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({}, "needs at least one"),
        ({"repositories": [{"name": "a/b"}]}, "KeyError"),
        ({"repositories": [{"name": "a/b", "source": "none"}]}, "not a git repository"),
        ({"repositories": [{"name": "a/b", "source": "SMALL", "default_branch": "dev"}]}, "has no branch 'dev'"),
        (
            {"repositories": [{"name": "a/b", "source": "SMALL", "runs": ["none"]}]},
            "run.json: cannot be read: No such file",
        ),
        ({"repositories": [{"name": "a/b", "source": "SMALL", "logs": {"1": "eaten"}}]}, "ValueError"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_said(
    tmp_path: Path, small_repository: Path, data: dict[str, object], part: str
) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(data).replace("SMALL", str(small_repository)))
    with pytest.raises(UserError, match=part):
        scenario.load(path, tmp_path / "world")


def test_the_source_repository_is_copied_not_touched(hub: Hub, small_repository: Path) -> None:
    before = subprocess.run(
        ["git", "-C", str(small_repository), "for-each-ref"], capture_output=True, check=True
    ).stdout
    hub.person().commit("main", {"a.txt": b"1\n"})
    after = subprocess.run(["git", "-C", str(small_repository), "for-each-ref"], capture_output=True, check=True).stdout
    assert before == after


def test_the_measured_nights_are_served_with_their_logs(hub: Hub, tmp_path: Path, shared_data: Path) -> None:
    tool = shared_data / "nightlies" / "lookalike.py"
    subprocess.run([sys.executable, str(tool), str(tmp_path / "look"), "--runs", "E"], check=True, capture_output=True)
    repo = scenario.add_repository(hub.world, tmp_path / "look" / "repo", "octo/miles")
    run = scenario.add_run(hub.world, repo, tmp_path / "look" / "runs" / "E")
    base = f"{hub.running.urls.api}/repos/octo/miles/actions"
    found = hub.call("GET", f"{base}/runs/{run}").json
    assert (found["run_attempt"], found["head_commit"]["id"]) == (2, found["head_sha"])
    jobs = hub.call("GET", f"{base}/runs/{run}/attempts/1/jobs?per_page=100").json["jobs"]
    skipped = [it["id"] for it in jobs if it["conclusion"] == "skipped"]
    done = [it["id"] for it in jobs if it["conclusion"] == "success"]
    assert {hub.call("GET", f"{base}/jobs/{it}/logs").status for it in skipped} == {404}
    target = hub.call("GET", f"{base}/jobs/{done[0]}/logs").headers["Location"]
    log = next((tmp_path / "look" / "runs" / "E" / "attempt-1" / "jobs").glob(f"{done[0]}/*.log"))
    assert http("GET", target).body == log.read_bytes()
    hub.access.app.webhook_url = f"{hub.running.urls.html}/nobody"
    assert hub.running.complete_run(run, 1).payload["workflow_run"]["run_attempt"] == 1
    with pytest.raises(KeyError):
        hub.running.complete_run(run, 3)
