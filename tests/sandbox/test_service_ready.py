"""Promises of the two questions that a running service answers about itself."""

from dataclasses import replace
from pathlib import Path

from bot.records.work import ProcessRole
from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generated
from tests.sandbox.hub import http
from tests.sandbox.service import Rig, rig


def away(made: Rig) -> None:
    """GitHub does not say who the App is."""
    made.world.faults.append(planned(FaultKind.BROKEN_LONG, "GET", "/app"))


def test_it_is_ready_while_store_and_queue_are_well_and_names_the_queue_once_it_stopped(tmp_path: Path) -> None:
    with rig(tmp_path) as made:
        base = made.app.webhook_url.removesuffix("/webhook")
        ready = http("GET", f"{base}/readyz")
        assert (ready.status, ready.json) == (200, {"status": "ready"})
        assert made.running
        made.sandbox.run(made.running.queue.stop())
        late = http("GET", f"{base}/readyz")
        assert (late.status, late.json["status"]) == (503, "not_ready")
        assert "queue_stopped" in late.json["reasons"]
        assert "store_away" not in late.json["reasons"]
        assert http("GET", f"{base}/healthz").status == 200  # it lives, and nobody need kill it


def test_what_starts_while_github_is_away_keeps_deliveries_and_works_on_them_once_it_is_back(
    tmp_path: Path, generated: Generated
) -> None:
    with rig(tmp_path, prepared=away) as made:
        base = made.app.webhook_url.removesuffix("/webhook")
        assert http("GET", f"{base}/readyz").status == 200  # a load balancer goes on sending it deliveries
        case, runs = made.started(generated, "early")
        assert case.nightly(runs[0]).outcome == "parked"
        assert case.pulls == []
        made.world.faults.clear()
        assert made.take_up() == 1
        assert case.ended(runs[0], again=1).outcome == "published"
        assert {it.author.login for it in case.pulls} == {f"{made.app.slug}[bot]"}


def test_a_process_that_only_works_is_not_ready_before_it_reached_github(tmp_path: Path) -> None:
    def only_works(made: Rig) -> None:
        made.settings = replace(made.settings, role=ProcessRole.WORKER)
        away(made)

    with rig(tmp_path, prepared=only_works) as made:
        base = made.app.webhook_url.removesuffix("/webhook")
        answer = http("GET", f"{base}/readyz")
        assert (answer.status, answer.json["reasons"]) == (503, ["github_away"])
        assert http("GET", f"{base}/healthz").status == 200
        made.stop()
        made.world.faults.clear()
        made.start()
        assert http("GET", f"{made.app.webhook_url.removesuffix('/webhook')}/readyz").status == 200
