"""Check runs: limits, annotations that append, and who may touch them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.sandbox import auth
from tests.sandbox.hub import Hub


def annotation(line: int) -> dict[str, Any]:
    return {
        "path": "tests/test_one.py",
        "start_line": line,
        "end_line": line,
        "annotation_level": "notice",
        "message": f"message {line}",
    }


def output(lines: range, summary: str = "s") -> dict[str, Any]:
    return {"title": "t", "summary": summary, "annotations": [annotation(line) for line in lines]}


def create(hub: Hub, **extra: Any) -> dict[str, Any]:
    body = {"name": "recalibrate", "head_sha": hub.repo.git.ref("refs/heads/main"), **extra}
    reply = hub.call("POST", "/check-runs", body)
    assert reply.status == 201, reply.body
    return dict(reply.json)


def test_120_annotations_arrive_in_three_requests(hub: Hub) -> None:
    made = create(hub, output=output(range(1, 51)))
    for lines in (range(51, 101), range(101, 121)):
        hub.call("PATCH", f"/check-runs/{made['id']}", {"output": output(lines)})
    pages = [hub.call("GET", f"/check-runs/{made['id']}/annotations?per_page=100&page={page}").json for page in (1, 2)]
    assert [it["start_line"] for page in pages for it in page] == list(range(1, 121))
    assert hub.call("GET", f"/check-runs/{made['id']}").json["output"]["annotations_count"] == 120


def test_51_annotations_in_one_request_are_refused_whole(hub: Hub) -> None:
    made = create(hub)
    assert hub.call("PATCH", f"/check-runs/{made['id']}", {"output": output(range(1, 52))}).status == 422
    assert hub.call("GET", f"/check-runs/{made['id']}").json["output"]["annotations_count"] == 0


@pytest.mark.parametrize(("text", "status"), [("x" * 65_535, 200), ("x" * 65_536, 422), ("é" * 40_000, 422)])
def test_a_field_holds_65535_bytes(hub: Hub, text: str, status: int) -> None:
    made = create(hub)
    assert hub.call("PATCH", f"/check-runs/{made['id']}", {"output": output(range(0), text)}).status == status


def test_a_conclusion_completes(hub: Hub) -> None:
    made = create(hub, status="completed", conclusion="neutral")
    assert (made["status"], made["conclusion"]) == ("completed", "neutral")
    assert made["completed_at"] is not None


def test_completed_without_a_conclusion_and_unknown_words_are_refused(hub: Hub) -> None:
    head = hub.repo.git.ref("refs/heads/main")
    for extra in ({"status": "completed"}, {"conclusion": "fine"}, {"status": "done"}):
        assert hub.call("POST", "/check-runs", {"name": "n", "head_sha": head, **extra}).status == 422
    hub.watcher.found.clear()  # these requests are outside the schema on purpose


def test_a_commit_that_is_not_there_has_no_check_run(hub: Hub) -> None:
    assert hub.call("POST", "/check-runs", {"name": "n", "head_sha": "1" * 40}).status == 422


def test_the_newest_of_each_name_is_listed_for_a_commit(hub: Hub) -> None:
    create(hub)
    newest = create(hub)
    create(hub, name="other")
    listed = hub.call("GET", "/commits/main/check-runs?check_name=recalibrate").json
    assert (listed["total_count"], listed["check_runs"][0]["id"]) == (1, newest["id"])
    assert hub.call("GET", "/commits/main/check-runs").json["total_count"] == 2
    assert hub.call("GET", "/commits/main/check-runs?filter=all").json["total_count"] == 3


def test_a_person_s_token_makes_no_check_run(hub: Hub) -> None:
    token = auth.person_token(hub.world, hub.person().account).secret
    body = {"name": "n", "head_sha": hub.repo.git.ref("refs/heads/main")}
    assert hub.call("POST", "/check-runs", body, token=token).status == 403


def test_another_app_s_check_run_is_not_changed(hub: Hub) -> None:
    made = create(hub)
    other = auth.register_app(hub.world, "other", hub.repo.owner, hub.access.app.public_pem)
    installation = auth.install(hub.world, other, hub.repo.owner)
    token = auth.installation_token(hub.world, installation, {}, None).secret
    assert hub.call("PATCH", f"/check-runs/{made['id']}", {"name": "x"}, token=token).status == 403


def test_at_most_three_buttons_with_short_words(hub: Hub) -> None:
    button = {"label": "Again", "description": "Measure again", "identifier": "again"}
    made = create(hub, actions=[button])
    assert hub.call("PATCH", f"/check-runs/{made['id']}", {"actions": [button] * 4}).status == 422
    assert hub.call("PATCH", f"/check-runs/{made['id']}", {"actions": [{**button, "label": "x" * 21}]}).status == 422
    hub.watcher.found.clear()  # these requests are outside the schema on purpose
