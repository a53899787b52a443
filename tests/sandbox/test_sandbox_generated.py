"""What our own generator writes, the sandbox serves: its runs, jobs and logs are complete by GitHub's schema."""

from __future__ import annotations

from pathlib import Path

from bot.sandbox import scenario
from bot.sandbox.generator import Generate, generate
from tests.sandbox.hub import Hub, http


def test_generated_nights_are_served_whole(hub: Hub, tmp_path: Path) -> None:
    made = generate(tmp_path / "made", Generate())
    repo = scenario.add_repository(hub.world, tmp_path / "made" / "repo", "octo/generated")
    runs = [scenario.add_run(hub.world, repo, path) for path in sorted((tmp_path / "made" / "runs").iterdir())]
    assert len(runs) == len(made.runs)
    base = f"{hub.running.urls.api}/repos/octo/generated/actions"
    hub.access.app.webhook_url = f"{hub.running.urls.html}/nobody"
    for run in runs:
        assert hub.call("GET", f"{base}/runs/{run}/attempts/1").json["head_commit"] is not None
        for job in hub.call("GET", f"{base}/runs/{run}/attempts/1/jobs?per_page=100").json["jobs"]:
            reply = hub.call("GET", f"{base}/jobs/{job['id']}/logs")
            assert reply.status == (404 if job["conclusion"] == "skipped" else 302)
            if reply.status == 302:
                log = next((tmp_path / "made" / "runs").glob(f"*/attempt-1/jobs/{job['id']}/*.log"))
                assert http("GET", reply.headers["Location"]).body == log.read_bytes()
        assert hub.running.complete_run(run).payload["workflow"]["path"].startswith(".github/workflows/")
