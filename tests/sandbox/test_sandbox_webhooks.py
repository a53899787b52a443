"""Webhooks: signed as GitHub signs them, complete by its schema, and sent again under one GUID."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from gidgethub import ValidationFailure
from gidgethub.sansio import Event

from bot.sandbox import events
from tests.sandbox.hub import Hub
from tests.waits import PATIENCE_S


class Receiver(ThreadingHTTPServer):
    """Keeps what it gets; answers `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 202


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def receiver(hub: Hub) -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.access.app.webhook_url = f"http://127.0.0.1:{server.server_address[1]}/webhook"
    yield server
    server.shutdown()
    server.server_close()
    thread.join(PATIENCE_S)


def comment_payload(hub: Hub) -> dict[str, Any]:
    number = hub.call("POST", "/issues", {"title": "t", "labels": ["x"]}).json["number"]
    return events.issue_comment(hub.world, hub.repo, hub.person().comment(number, "/recalibrate"))


def test_a_webhook_verifies_with_the_secret_and_with_no_other(hub: Hub, receiver: Receiver) -> None:
    done = hub.running.deliver("issue_comment", comment_payload(hub))
    headers, body = receiver.got[0]
    event = Event.from_http(headers, body, secret=hub.access.app.webhook_secret)
    assert (done.status_code, event.event, event.delivery_id) == (202, "issue_comment", done.guid)
    assert event.data["installation"]["id"] == hub.access.installation.id
    with pytest.raises(ValidationFailure):
        Event.from_http(headers, body, secret="another")


def test_a_redelivery_keeps_the_guid_and_has_a_number_of_its_own(hub: Hub, receiver: Receiver) -> None:
    receiver.status = 500
    first = hub.running.deliver("issue_comment", comment_payload(hub))
    listed = hub.app("GET", "/app/hook/deliveries").json
    assert [(it["guid"], it["status_code"], it["redelivery"]) for it in listed] == [(first.guid, 500, False)]
    receiver.status = 202
    assert hub.app("POST", f"/app/hook/deliveries/{first.id}/attempts").status == 202
    hub.running.run(_settled(hub))
    newest, oldest = hub.app("GET", "/app/hook/deliveries").json
    assert (newest["guid"], newest["status_code"], newest["redelivery"]) == (first.guid, 202, True)
    assert newest["id"] != oldest["id"]
    assert receiver.got[0][1] == receiver.got[1][1]
    assert hub.app("GET", f"/app/hook/deliveries/{newest['id']}").json["request"]["headers"]["X-GitHub-Event"]


async def _settled(hub: Hub) -> None:
    """Wait for the deliveries under way."""
    sending = list(hub.running.sandbox.sending)
    if sending:
        await asyncio.wait(sending)


def test_deliveries_are_paged_by_cursor(hub: Hub, receiver: Receiver) -> None:
    payload = comment_payload(hub)
    sent = [hub.running.deliver("issue_comment", payload).id for _ in range(3)]
    first = hub.app("GET", "/app/hook/deliveries?per_page=2")
    assert [it["id"] for it in first.json] == [sent[2], sent[1]]
    assert f"cursor={sent[1]}" in first.headers["Link"]
    rest = hub.app("GET", f"/app/hook/deliveries?per_page=2&cursor={sent[1]}")
    assert [it["id"] for it in rest.json] == [sent[0]]
    assert rest.headers.get("Link") is None


def test_a_receiver_that_is_not_there_is_noted(hub: Hub, receiver: Receiver) -> None:
    payload = comment_payload(hub)
    receiver.shutdown()
    receiver.server_close()
    assert hub.running.deliver("issue_comment", payload).status_code == 502


def test_every_event_the_app_hears_is_complete(hub: Hub, receiver: Receiver) -> None:
    mona, world, repo = hub.person(), hub.world, hub.repo
    mona.commit("work", {"a.txt": b"1\n"})
    number = hub.call("POST", "/pulls", {"title": "t", "head": "work", "base": "main"}).json["number"]
    check_id = hub.call("POST", "/check-runs", {"name": "n", "head_sha": repo.git.ref("refs/heads/work")}).json["id"]
    pull, check, installed = repo.issues[number], repo.checks[check_id], hub.access.installation
    for event, payload in [
        ("issue_comment", events.issue_comment(world, repo, mona.comment(number, "x"))),
        *(("pull_request", events.pull_request(world, repo, pull, it, mona.account)) for it in PULL_ACTIONS),
        ("check_run", events.check_run(world, repo, check, "rerequested", mona.account)),
        ("check_run", events.check_run(world, repo, check, "requested_action:again", mona.account)),
        *(("installation", events.installation(world, installed, it)) for it in ("created", "deleted")),
        ("installation_repositories", events.installation_repositories(world, installed, [repo])),
        ("installation_repositories", events.installation_repositories(world, installed, [], [repo])),
    ]:
        assert hub.running.deliver(event, payload).status_code == 202
    assert hub.watcher.found == []


PULL_ACTIONS = ("opened", "closed", "reopened", "synchronize", "edited")


def test_a_world_that_announces_tells_the_app_of_its_own_doings(hub: Hub, receiver: Receiver) -> None:
    hub.person().commit("work", {"a.txt": b"1\n"})
    hub.world.announces = True
    number = hub.call("POST", "/pulls", {"title": "t", "head": "work", "base": "main"}).json["number"]
    comment = hub.call("POST", f"/issues/{number}/comments", {"body": "x"}).json["id"]
    hub.call("PATCH", f"/issues/comments/{comment}", {"body": "y"})
    hub.call("POST", "/check-runs", {"name": "n", "head_sha": hub.repo.git.ref("refs/heads/work")})
    hub.call("PATCH", f"/pulls/{number}", {"title": "u"})
    hub.call("PATCH", f"/pulls/{number}", {"state": "closed"})
    hub.running.run(_settled(hub))
    told = sorted((it.event, it.payload["action"], it.payload["sender"]["login"]) for it in hub.world.deliveries)
    assert told == [
        ("check_run", "created", "recalibrate[bot]"),
        ("issue_comment", "created", "recalibrate[bot]"),
        ("issue_comment", "edited", "recalibrate[bot]"),
        ("pull_request", "closed", "recalibrate[bot]"),
        ("pull_request", "edited", "recalibrate[bot]"),
        ("pull_request", "opened", "recalibrate[bot]"),
    ]


def test_a_refused_call_is_not_announced(hub: Hub, receiver: Receiver) -> None:
    hub.world.announces = True
    assert hub.call("POST", "/pulls", {"title": "t", "head": "none", "base": "main"}).status == 422
    hub.running.run(_settled(hub))
    assert hub.world.deliveries == []
