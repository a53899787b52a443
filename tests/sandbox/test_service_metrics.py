"""What a scrape of the running service says: what was done over real HTTP, and nobody's name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client.parser import text_string_to_metric_families

from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Fault
from tests.sandbox.service import Case, Rig, rig

JOBS = "/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs"


async def scraped(routes: web.Application) -> str:
    async with TestClient(TestServer(routes)) as client:
        answer = await client.get("/metrics")
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return await answer.text()


def scrape(here: Rig) -> str:
    assert here.running
    return here.sandbox.run(scraped(here.running.metrics))


def numbers(text: str) -> dict[str, float]:
    return {
        f"{sample.name.removeprefix('recalibrate_')}{sorted(sample.labels.values())}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("recalibrate_")
    }


@pytest.fixture(scope="module")
def worked(generated: Generated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """A service that has published one nightly, after GitHub failed once."""
    with rig(tmp_path_factory.mktemp("metrics")) as running:
        case, runs = running.started(generated, "metrics")
        wrong = {"message": "Server Error", "documentation_url": "https://docs.github.com/rest", "status": "500"}
        running.world.faults.append(Fault("GET", JOBS, 500, wrong))
        assert case.nightly(runs[0]).outcome == "published"
        yield case


def test_deliveries_tasks_steps_and_calls_are_counted(worked: Case) -> None:
    found = numbers(scrape(worked.rig))
    assert found["deliveries_total['task', 'workflow_run']"] == 1
    assert found["tasks_total['nightly', 'published']"] == 1
    assert found["steps_total['done']"] > 5
    sent = {"reads": 0.0, "writes": 0.0, "logs": 0.0}
    for name, value in found.items():
        for half in sent:
            sent[half] += value if name.startswith("github_calls_total") and f"'{half}'" in name else 0
    assert sum(sent.values()) == len(worked.rig.world.journal)
    assert min(sent.values()) > 3
    assert found["github_calls_total['500', 'reads']"] == 1
    assert found["github_waits_total[]"] == 1
    assert found["github_wait_seconds_total[]"] > 0
    assert found["github_budget_remaining['core']"] == 4999


def test_the_service_says_how_things_stand(worked: Case) -> None:
    found = numbers(scrape(worked.rig))
    assert found["oldest_task_age_seconds[]"] == 0
    assert found["tasks_unfinished['waiting']"] == found["tasks_unfinished['at_work']"] == 0
    assert found["newest_nightly_age_seconds[]"] > 0
    assert {value for name, value in found.items() if name.startswith("not_ready")} == {0}


def test_no_repository_no_account_and_no_run_is_named(worked: Case) -> None:
    text = scrape(worked.rig)
    named = [worked.repo.full_name, worked.repo.owner.login, str(worked.repo.id), *map(str, worked.repo.runs)]
    assert [name for name in named if name in text] == []
    assert "_created" not in text


def test_a_request_that_is_not_from_github_is_counted_without_what_it_says(worked: Case) -> None:
    worked.rig.app.webhook_secret, right = "another-secret", worked.rig.app.webhook_secret
    try:
        assert worked.deliver(next(iter(worked.repo.runs))).status_code == 401
    finally:
        worked.rig.app.webhook_secret = right
    assert numbers(scrape(worked.rig))["deliveries_total['bad_signature', 'unknown']"] == 1


def test_the_public_port_has_no_metrics(worked: Case) -> None:
    assert worked.rig.running
    known = {str(route.resource.canonical) for route in worked.rig.running.web.router.routes() if route.resource}
    assert "/healthz" in known
    assert "/metrics" not in known
