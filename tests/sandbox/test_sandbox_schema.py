"""Every operation of the sandbox is used once here, and every answer held to GitHub's schema by the fixture."""

from __future__ import annotations

import base64
from pathlib import Path

from bot.sandbox import scenario
from bot.sandbox.auth import person_token
from bot.sandbox.dispatch import ROUTES
from bot.sandbox.traffic import Exchange
from bot.sandbox.web_sign_in import app_users_token
from tests.sandbox.github_schema import check, operations
from tests.sandbox.hub import Hub, http
from tests.sandbox.test_sandbox_actions import job, run_directory
from tests.sandbox.test_sandbox_manifests import code_of, converts, sends


def test_every_operation_exists_at_github() -> None:
    known = {(method, path) for method, path in operations()}
    bare = {
        (route.method, "/".join("{}" if part.startswith("{") else part for part in route.name.split("/")))
        for route in ROUTES
    }
    assert bare <= known


def test_every_operation_answers_inside_the_schema(hub: Hub, tmp_path: Path) -> None:
    scenario.add_run(hub.world, hub.repo, run_directory(hub, tmp_path / "run", {1: [job(11)], 2: [job(12, 2)]}))
    _app(hub)
    _git(hub)
    _talk(hub)
    _checks(hub)
    for path in ("", "/contents/tests", "/contents/README.md", "/commits", "/commits/main", "/compare/v1...main"):
        assert hub.call("GET", path).status == 200
    for path in ("/workflows", "/workflows/9/runs", "/runs", "/runs/77", "/runs/77/jobs", "/jobs/12", "/jobs/12/logs"):
        assert hub.call("GET", f"/actions{path}").status in (200, 302)
    for path in ("/runs/77/attempts/1", "/runs/77/attempts/1/jobs"):
        assert hub.call("GET", f"/actions{path}").status == 200
    assert hub.call("GET", "/collaborators/mona/permission").status == 200
    assert {(route.method, route.name) for route in ROUTES} - hub.watcher.seen == set()
    assert hub.watcher.found == []


def _app(hub: Hub) -> None:
    api, installed = hub.running.urls.api, hub.access.installation.id
    for path in (
        "/app",
        "/app/hook/config",
        "/app/installations",
        f"/app/installations/{installed}",
        "/repos/octo/tests/installation",
    ):
        assert hub.app("GET", path).status == 200
    hub.token(repositories=["tests"], permissions={"contents": "read"})
    hub.person("mona")
    for path in ("/installation/repositories", "/users/mona", "/rate_limit"):
        assert hub.call("GET", api + path).status == 200
    assert hub.call("GET", f"{api}/user", token=person_token(hub.world, hub.repo.owner).secret).status == 200
    person = app_users_token(hub.world, hub.access.app, hub.world.account("mona")).secret
    assert converts(hub, code_of(sends(hub, agreed="1"))).status == 201
    taken_back = f"{api}/applications/{hub.access.app.client_id}/token"
    assert http("DELETE", taken_back, {"access_token": person}, hub.client()).status == 204
    hub.access.app.webhook_url = f"{hub.running.urls.html}/nobody"
    scenario.add_repository(hub.world, hub.repo.git.path, "octo/second")
    sent = hub.running.complete_run(77, 2)
    assert hub.app("GET", "/app/hook/deliveries").status == 200
    assert hub.app("GET", f"/app/hook/deliveries/{sent.id}").status == 200
    assert hub.app("POST", f"/app/hook/deliveries/{sent.id}/attempts").status == 202


def _git(hub: Hub) -> None:
    tip = hub.call("GET", "/git/ref/heads/main").json["object"]["sha"]
    base = hub.call("GET", f"/git/commits/{tip}").json["tree"]["sha"]
    content = base64.b64encode(b"register_cuda_ci(est_time=300, suite='a')\n").decode()
    blob = hub.call("POST", "/git/blobs", {"content": content, "encoding": "base64"}).json["sha"]
    assert hub.call("GET", f"/git/blobs/{blob}").status == 200
    entry = {"path": "tests/test_one.py", "mode": "100644", "type": "blob", "sha": blob}
    tree = hub.call("POST", "/git/trees", {"base_tree": base, "tree": [entry]}).json["sha"]
    assert hub.call("GET", f"/git/trees/{tree}?recursive=1").status == 200
    commit = hub.call("POST", "/git/commits", {"message": "m", "tree": tree, "parents": [tip]}).json["sha"]
    for name in ("work", "gone"):
        assert hub.call("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": tip}).status == 201
    assert hub.call("PATCH", "/git/refs/heads/work", {"sha": commit, "force": False}).status == 200
    assert hub.call("GET", "/git/matching-refs/heads/").status == 200
    assert hub.call("DELETE", "/git/refs/heads/gone").status == 204
    made = hub.call("POST", "/pulls", {"title": "t", "head": "work", "base": "main", "body": "b", "draft": True})
    number = made.json["number"]
    hub.call("GET", "/pulls?head=octo:work")
    hub.call("GET", f"/pulls/{number}")
    hub.call("GET", f"/pulls/{number}/files")
    assert hub.call("POST", f"/pulls/{number}/reviews", {"event": "COMMENT", "body": "r"}).status == 200
    assert hub.call("GET", f"/pulls/{number}/reviews").status == 200
    hub.call("PATCH", f"/pulls/{number}", {"title": "t2", "state": "open"})
    hub.call("POST", f"/pulls/{number}/requested_reviewers", {"reviewers": ["mona"]})


def _talk(hub: Hub) -> None:
    made = hub.call("POST", "/issues", {"title": "t", "body": "b", "labels": ["ci"], "assignees": ["mona"]}).json
    number = made["number"]
    comment = hub.call("POST", f"/issues/{number}/comments", {"body": "x"}).json["id"]
    for subject in (f"/issues/{number}", f"/issues/comments/{comment}"):
        assert hub.call("GET", subject).status == 200
        assert hub.call("PATCH", subject, {"body": "y"}).status == 200
        given = hub.call("POST", f"{subject}/reactions", {"content": "eyes"}).json["id"]
        assert hub.call("GET", f"{subject}/reactions").status == 200
        if "comments" in subject:
            assert hub.call("DELETE", f"{subject}/reactions/{given}").status == 204
    assert hub.call("GET", "/issues?state=all").status == 200
    assert hub.call("GET", f"/issues/{number}/comments").status == 200
    assert hub.call("POST", f"/issues/{number}/labels", ["one", "two"]).status == 200
    assert hub.call("GET", f"/issues/{number}/labels").status == 200
    assert hub.call("DELETE", f"/issues/{number}/labels/one").status == 200
    assert hub.call("DELETE", f"/issues/comments/{comment}").status == 204


def _checks(hub: Hub) -> None:
    note = {"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    output = {"title": "t", "summary": "s", "annotations": [note]}
    head = hub.repo.git.ref("refs/heads/work")
    made = hub.call(
        "POST", "/check-runs", {"name": "n", "head_sha": head, "status": "in_progress", "output": output}
    ).json
    assert made["pull_requests"][0]["number"]
    done = {"status": "completed", "conclusion": "success", "completed_at": "2026-08-03T12:00:00Z"}
    assert hub.call("PATCH", f"/check-runs/{made['id']}", done).status == 200
    for path in (f"/check-runs/{made['id']}", f"/check-runs/{made['id']}/annotations", "/commits/work/check-runs"):
        assert hub.call("GET", path).status == 200


def test_the_schema_check_sees_unknown_missing_and_wrong_keys(hub: Hub) -> None:
    good = hub.call("GET", "/git/ref/heads/main").json

    def wrong(answer: object, request: object = None) -> list[str]:
        return check(Exchange("GET", "/repos/{owner}/{repo}/git/ref/{ref}", request, 200, answer))

    assert wrong(good) == []
    assert wrong({**good, "extra": 1}) == ["response.extra: not in GitHub's GitRef"]
    assert wrong({**good, "object": {**good["object"], "extra": 1}})
    assert wrong({key: value for key, value in good.items() if key != "node_id"})
    assert wrong({**good, "ref": 5})
    assert wrong(good, {"unexpected": True})
    assert check(Exchange("GET", "/made/up", None, 200, {}))
    bad_request = {"ref": "refs/heads/x", "sha": "1" * 40, "force": True}
    assert check(Exchange("POST", "/repos/{owner}/{repo}/git/refs", bad_request, 201, good))
