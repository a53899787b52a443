"""Promises of the HTTP end, over real HTTP: enqueue before noting, limits before parsing, never a 5xx for bad input."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession, web
from aiohttp.test_utils import TestServer

from bot.domain import NightlyFilter, RepositoryId, TaskRequest
from bot.webhook.receiver import Receiver

SECRET = "a planted secret"
NIGHTLY = {
    "action": "completed",
    "workflow_run": {
        "id": 77,
        "run_attempt": 1,
        "event": "schedule",
        "head_branch": "main",
        "head_sha": "a" * 40,
        "path": ".github/workflows/lane.yml",
        "head_repository": {"id": 5},
    },
    "repository": {"id": 5, "full_name": "zoo/otter", "default_branch": "main"},
    "installation": {"id": 9},
}


class Journal:
    """Queue and delivery log in one, remembering the order of calls."""

    def __init__(self, stored: NightlyFilter | None = None, failing: str = "") -> None:
        self.calls: list[tuple[str, str]] = []
        self.stored = stored
        self.failing = failing

    async def enqueue(self, request: TaskRequest) -> None:
        if self.failing == "enqueue":
            raise ConnectionError("the database is away")
        self.calls.append(("enqueue", request.key))

    def nightly_filter(self, repository_id: RepositoryId) -> NightlyFilter | None:
        return self.stored

    def note(self, guid: str, event: str, verdict: str) -> bool:
        self.calls.append(("note", verdict))
        return True


def signed(body: bytes, event: str = "workflow_run", **extra: str) -> dict[str, str]:
    return {
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "g1",
        "Content-Type": "application/json",
        **extra,
    }


def ask(journal: Journal, act: Callable[[ClientSession, str], Awaitable[Any]], max_bytes: int = 1 << 20) -> Any:
    async def inner() -> Any:
        app = web.Application(client_max_size=max_bytes)
        app.router.add_post("/webhook", Receiver(SECRET, journal, journal, max_bytes).handle)
        async with TestServer(app) as server, ClientSession() as session:
            return await act(session, str(server.make_url("/webhook")))

    return asyncio.run(inner())


def post(journal: Journal, body: bytes, headers: dict[str, str], max_bytes: int = 1 << 20) -> tuple[int, Any]:
    async def act(session: ClientSession, url: str) -> tuple[int, Any]:
        response: ClientResponse
        async with session.post(url, data=BytesIO(body), headers=headers) as response:
            return response.status, await response.json()

    status, answer = ask(journal, act, max_bytes)
    return status, answer


def test_a_nightly_is_enqueued_before_it_is_noted_and_answered_202() -> None:
    journal, body = Journal(), json.dumps(NIGHTLY).encode()
    assert post(journal, body, signed(body)) == (202, {"delivery": "g1", "verdict": "nightly:5:77:1"})
    assert journal.calls == [("enqueue", "nightly:5:77:1"), ("note", "nightly:5:77:1")]


def test_what_cannot_matter_is_noted_and_never_enqueued() -> None:
    journal, body = Journal(), json.dumps({"zen": "x"}).encode()
    assert post(journal, body, signed(body, "ping"))[0] == 202
    assert journal.calls == [("note", "unknown_event")]


def test_the_stored_filter_is_asked() -> None:
    journal, body = Journal(NightlyFilter(("other.yml",), ("schedule",), ())), json.dumps(NIGHTLY).encode()
    assert post(journal, body, signed(body))[1]["verdict"] == "other_workflow"


def test_a_body_of_three_megabytes_is_taken() -> None:
    journal = Journal()
    body = json.dumps({**NIGHTLY, "padding": "x" * (3 << 20)}).encode()
    assert post(journal, body, signed(body), max_bytes=25 << 20)[0] == 202


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_over_the_limit_is_refused_before_its_signature_is_looked_at(announced: bool) -> None:
    journal = Journal()

    async def act(session: ClientSession, url: str) -> tuple[int, Any]:
        async def chunks() -> Any:
            for _ in range(40):
                yield b"x" * 1000

        data = b"x" * 40_000 if announced else chunks()
        async with session.post(url, data=data, headers=signed(b"")) as response:
            return response.status, await response.json()

    assert ask(journal, act, max_bytes=10_000) == (413, {"refused": "too_large"})
    assert journal.calls == []


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{}", {"X-Hub-Signature-256": ""}, 401),
        (b"{}", {"X-Hub-Signature-256": "sha256=" + "1" * 64}, 401),
        (b"not json", {}, 400),
        (b"[1]", {}, 400),
        (b"{}", {}, 400),
        (b"\x00\xff", {}, 400),
        (b'{"repository": {"id": true}}', {}, 400),
        (b'{"repository": {"id": -1}}', {}, 400),
    ],
)
def test_malformed_deliveries_are_a_4xx_and_leave_no_trace(body: bytes, headers: dict[str, str], status: int) -> None:
    journal = Journal()
    assert post(journal, body, signed(body, **headers))[0] == status
    assert journal.calls == []


def test_a_queue_that_fails_is_a_500_and_the_delivery_stays_unnoted_so_that_it_is_asked_for_again() -> None:
    journal, body = Journal(failing="enqueue"), json.dumps(NIGHTLY).encode()

    async def act(session: ClientSession, url: str) -> int:
        async with session.post(url, data=body, headers=signed(body)) as response:
            return response.status

    assert ask(journal, act) == 500
    assert journal.calls == []
