"""Promises of the two questions that a running service answers about itself."""

from pathlib import Path

from tests.sandbox.hub import http
from tests.sandbox.service import rig


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
