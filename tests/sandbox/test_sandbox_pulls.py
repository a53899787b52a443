"""Pull requests, issues, comments, labels, reactions: GitHub's refusals, and nothing made twice."""

from __future__ import annotations

import pytest

from bot.sandbox.traffic import Fault
from tests.sandbox.hub import Hub


def open_pull(hub: Hub, branch: str = "recalibrate/main", **extra: object) -> dict[str, object]:
    hub.person().commit(branch, {"tests/test_one.py": b"register_cuda_ci(est_time=200, suite='a')\n"})
    reply = hub.call("POST", "/pulls", {"title": "t", "head": branch, "base": "main", **extra})
    assert reply.status == 201, reply.body
    return dict(reply.json)


def test_a_pull_request_is_opened_as_a_draft_and_shows_its_one_file(hub: Hub) -> None:
    made = open_pull(hub, draft=True, body="words")
    assert (made["draft"], made["changed_files"], made["additions"], made["mergeable_state"]) == (True, 1, 1, "draft")
    files = hub.call("GET", f"/pulls/{made['number']}/files").json
    assert [file["filename"] for file in files] == ["tests/test_one.py"]
    assert files[0]["patch"].splitlines()[1:] == [
        "-register_cuda_ci(est_time=100, suite='a')",
        "+register_cuda_ci(est_time=200, suite='a')",
    ]


def test_a_second_one_for_the_same_branch_is_refused_in_words(hub: Hub) -> None:
    open_pull(hub)
    reply = hub.call("POST", "/pulls", {"title": "t", "head": "octo:recalibrate/main", "base": "main"})
    message = "A pull request already exists for octo:recalibrate/main."
    assert (reply.status, reply.json["errors"][0]["message"]) == (422, message)


def test_branches_that_are_missing_or_bring_nothing_are_refused(hub: Hub) -> None:
    hub.person().push("same", str(hub.repo.git.ref("refs/heads/main")))
    for head, base, part in (
        ("none", "main", "head"),
        ("same", "none", "base"),
        ("same", "main", "No commits between"),
    ):
        reply = hub.call("POST", "/pulls", {"title": "t", "head": head, "base": base})
        assert reply.status == 422
        assert part in str(reply.json["errors"])


def test_pull_requests_are_found_by_head_base_and_state(hub: Hub) -> None:
    number = open_pull(hub)["number"]
    other = open_pull(hub, "other")["number"]

    def found(query: str) -> list[int]:
        return [it["number"] for it in hub.call("GET", f"/pulls?{query}").json]

    assert found("head=octo:recalibrate/main") == [number]
    assert found("head=octo:recalibrate/main&base=dev") == []
    assert len(found("state=open")) == 2
    hub.call("PATCH", f"/pulls/{number}", {"state": "closed"})
    assert found("head=octo:recalibrate/main") == []
    assert found("state=closed") == [number]
    assert found("state=all") == [other, number]


def test_the_branch_moving_moves_the_pull_request_and_closing_freezes_it(hub: Hub) -> None:
    made = open_pull(hub)
    second = hub.person().commit("recalibrate/main", {"a.txt": b"1\n"})
    assert hub.call("GET", f"/pulls/{made['number']}").json["head"]["sha"] == second
    hub.call("PATCH", f"/pulls/{made['number']}", {"state": "closed"})
    hub.person().commit("recalibrate/main", {"a.txt": b"2\n"})
    assert hub.call("GET", f"/pulls/{made['number']}").json["head"]["sha"] == second


def test_a_merged_pull_request_stays_merged(hub: Hub) -> None:
    number = int(str(open_pull(hub)["number"]))
    sha = hub.person().merge(number)
    seen = hub.call("GET", f"/pulls/{number}").json
    assert (seen["merged"], seen["merge_commit_sha"], seen["merged_by"]["login"]) == (True, sha, "mona")
    assert hub.call("PATCH", f"/pulls/{number}", {"state": "open"}).status == 422


def test_a_conflict_is_seen(hub: Hub) -> None:
    number = open_pull(hub)["number"]
    hub.person().commit("main", {"tests/test_one.py": b"register_cuda_ci(est_time=300, suite='a')\n"})
    seen = hub.call("GET", f"/pulls/{number}").json
    assert (seen["mergeable"], seen["mergeable_state"]) == (False, "dirty")


def test_title_and_body_change_in_place(hub: Hub) -> None:
    number = open_pull(hub)["number"]
    hub.call("PATCH", f"/pulls/{number}", {"title": "new", "body": "text"})
    seen = hub.call("GET", f"/issues/{number}").json
    assert (seen["title"], seen["body"]) == ("new", "text")


@pytest.mark.parametrize(("size", "status"), [(65_536, 201), (65_537, 422)])
def test_a_body_holds_65536_characters_and_no_more(hub: Hub, size: int, status: int) -> None:
    assert hub.call("POST", "/issues", {"title": "t", "body": "é" * size}).status == status


def test_reviews_are_asked_of_collaborators_alone(hub: Hub) -> None:
    number = open_pull(hub)["number"]
    hub.world.account("stranger")
    hub.person("rita")
    for login in ("stranger", "nobody"):
        assert hub.call("POST", f"/pulls/{number}/requested_reviewers", {"reviewers": [login]}).status == 422
    assert hub.call("POST", f"/pulls/{number}/requested_reviewers", {"reviewers": ["rita"]}).status == 201


def test_comments_are_listed_edited_and_removed(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t"}).json["number"]
    hub.person().comment(number, "/recalibrate")
    mine = hub.call("POST", f"/issues/{number}/comments", {"body": "one"}).json
    hub.clock.forward(minutes=1)
    edited = hub.call("PATCH", f"/issues/comments/{mine['id']}", {"body": "two"}).json
    assert edited["updated_at"] > edited["created_at"]
    listed = hub.call("GET", f"/issues/{number}/comments").json
    assert [(it["user"]["login"], it["body"]) for it in listed] == [
        ("mona", "/recalibrate"),
        ("recalibrate[bot]", "two"),
    ]
    assert listed[1]["performed_via_github_app"]["id"] == hub.access.app.id
    assert hub.call("DELETE", f"/issues/comments/{mine['id']}").status == 204
    assert hub.call("GET", f"/issues/comments/{mine['id']}").status == 404


def test_an_empty_comment_and_a_missing_issue_are_refused(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t"}).json["number"]
    assert hub.call("POST", f"/issues/{number}/comments", {"body": ""}).status == 422
    assert hub.call("POST", "/issues/999/comments", {"body": "x"}).status == 404


def test_an_issue_is_closed_and_opened_again(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t", "labels": ["broken"]}).json["number"]
    closed = hub.call("PATCH", f"/issues/{number}", {"state": "closed", "state_reason": "completed"}).json
    assert (closed["state"], closed["closed_by"]["login"]) == ("closed", "recalibrate[bot]")
    assert hub.call("GET", "/issues?state=open").json == []
    assert hub.call("PATCH", f"/issues/{number}", {"state": "open"}).json["state"] == "open"
    assert [it["number"] for it in hub.call("GET", "/issues?labels=broken&creator=recalibrate[bot]").json] == [number]


def test_labels_are_added_once_whatever_the_case(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t"}).json["number"]
    for names in (["ci"], ["CI", "tests"]):
        hub.call("POST", f"/issues/{number}/labels", {"labels": names})
    assert [it["name"] for it in hub.call("GET", f"/issues/{number}/labels").json] == ["ci", "tests"]
    assert hub.call("DELETE", f"/issues/{number}/labels/CI").status == 200
    assert hub.call("DELETE", f"/issues/{number}/labels/ci").status == 404


def test_the_same_reaction_twice_is_one(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t"}).json["number"]
    comment = hub.person().comment(number, "/recalibrate")
    path = f"/issues/comments/{comment.id}/reactions"
    assert [hub.call("POST", path, {"content": "eyes"}).status for _ in range(2)] == [201, 200]
    assert hub.call("GET", f"/issues/comments/{comment.id}").json["reactions"]["eyes"] == 1
    given = hub.call("GET", path).json[0]["id"]
    assert hub.call("DELETE", f"{path}/{given}").status == 204


def test_issue_comments_need_one_of_two_permissions(hub: Hub) -> None:
    number = hub.call("POST", "/issues", {"title": "t"}).json["number"]
    for permissions, status in (
        ({"issues": "write"}, 201),
        ({"pull_requests": "write"}, 201),
        ({"checks": "write"}, 403),
    ):
        token = hub.token(permissions=permissions)
        assert hub.call("POST", f"/issues/{number}/comments", {"body": "x"}, token=token).status == status


def test_a_fault_answers_instead_once_and_one_after_the_fact_lets_the_work_happen(hub: Hub) -> None:
    hub.world.faults.append(Fault("POST", "/repos/{owner}/{repo}/issues", 502, {"message": "Server Error"}))
    assert hub.call("POST", "/issues", {"title": "a"}).status == 502
    assert hub.call("GET", "/issues").json == []
    hub.world.faults.append(Fault("POST", "/repos/{owner}/{repo}/issues", 502, {"message": "Server Error"}, after=True))
    assert hub.call("POST", "/issues", {"title": "a"}).status == 502
    assert [it["title"] for it in hub.call("GET", "/issues").json] == ["a"]


@pytest.mark.parametrize(("body", "status"), [(b"{", 400), (b"[1]", 400), (b'{"title": 5}', 422), (b"{}", 422)])
def test_a_body_that_is_not_what_it_should_be_is_refused(hub: Hub, body: bytes, status: int) -> None:
    reply = hub.call("POST", f"{hub.running.urls.api}/repos/octo/tests/issues", body)
    hub.watcher.found.clear()  # the request itself is what this test sends wrong
    assert reply.status == status
