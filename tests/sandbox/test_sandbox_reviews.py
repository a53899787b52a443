"""Reviews as GitHub takes them: comments on lines of the diff, all or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.hub import Hub, http

PATH = "tests/test_one.py"


def pull(hub: Hub) -> int:
    person = hub.person()
    person.commit("tune", {PATH: b"register_cuda_ci(est_time=200, suite='a')\n"})
    return person.propose("tune").number


def asked(hub: Hub, number: int, **changes: Any) -> dict[str, Any]:
    head = hub.repo.issues[number].pull
    assert head
    comment = {"path": PATH, "line": 1, "side": "RIGHT", "body": "words", **changes}
    return {"commit_id": head.head_sha, "event": "COMMENT", "body": "review", "comments": [comment]}


def test_a_review_with_a_comment_on_a_line_of_the_diff_is_made_and_listed(hub: Hub) -> None:
    number = pull(hub)
    made = hub.call("POST", f"/pulls/{number}/reviews", asked(hub, number))
    assert made.status == 200
    assert made.json["state"] == "COMMENTED"
    assert made.json["html_url"].endswith(f"/pull/{number}#pullrequestreview-{made.json['id']}")
    listed = hub.call("GET", f"/pulls/{number}/reviews").json
    assert [one["id"] for one in listed] == [made.json["id"]]


@pytest.mark.parametrize(
    "changes", [{"line": 2}, {"line": None}, {"path": "README.md"}, {"side": "LEFT"}, {"body": ""}], ids=str
)
def test_one_comment_that_fits_nowhere_fails_the_whole_review(hub: Hub, changes: dict[str, Any]) -> None:
    number = pull(hub)
    wrong = {key: value for key, value in asked(hub, number, **changes).items() if value is not None}
    assert hub.call("POST", f"/pulls/{number}/reviews", wrong).status == 422
    assert hub.repo.reviews == {}


def test_a_token_that_may_not_write_pull_requests_may_not_review(hub: Hub) -> None:
    number = pull(hub)
    token = hub.token(permissions={"pull_requests": "read"})
    assert hub.call("POST", f"/pulls/{number}/reviews", asked(hub, number), token=token).status == 403


def test_a_page_shows_what_a_suggestion_would_change(hub: Hub) -> None:
    number = pull(hub)
    body = "so\n\n```suggestion\nregister_cuda_ci(est_time=300, suite='a')\n```\n"
    assert hub.call("POST", f"/pulls/{number}/reviews", asked(hub, number, body=body)).status == 200
    page = http("GET", f"{hub.running.urls.html}/{hub.repo.full_name}/pull/{number}").body.decode()
    assert "Suggested change" in page
    assert "-register_cuda_ci(est_time=200" in page
    assert "+register_cuda_ci(est_time=300" in page
