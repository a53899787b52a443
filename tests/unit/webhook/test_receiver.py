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
from bot.webhook.failures import AT_ONCE
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


def test_the_largest_body_that_github_sends_is_taken() -> None:
    journal = Journal()
    body = json.dumps({**NIGHTLY, "padding": "x" * 24_999_000}).encode()
    assert post(journal, body, signed(body), max_bytes=Receiver(SECRET, journal, journal).max_bytes)[0] == 202


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


def test_failed_signatures_are_held_up_and_signed_deliveries_never_are() -> None:
    journal, body = Journal(), json.dumps(NIGHTLY).encode()

    async def act(session: ClientSession, url: str) -> list[int]:
        statuses = []
        for headers in [signed(b"other")] * (AT_ONCE + 2) + [signed(body), signed(b"other")]:
            async with session.post(url, data=body, headers=headers) as response:
                statuses.append(response.status)
                assert (response.status == 429) is ("Retry-After" in response.headers)
        return statuses

    assert ask(journal, act) == [401] * AT_ONCE + [429] * 2 + [202, 429]


def test_bodies_that_are_too_large_to_have_a_signature_flood_neither_receiver_nor_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    journal, body = Journal(), json.dumps(NIGHTLY).encode()

    async def act(session: ClientSession, url: str) -> list[int]:
        statuses = []
        for data, headers in [(b"x" * 20_000, {})] * (AT_ONCE + 2) + [(body, signed(body))]:
            async with session.post(url, data=data, headers=headers) as response:
                statuses.append(response.status)
        return statuses

    assert ask(journal, act, max_bytes=10_000) == [413] * AT_ONCE + [429] * 2 + [202]
    assert sum(record.message == "delivery refused" for record in caplog.records) == AT_ONCE


def test_signed_and_malformed_deliveries_do_not_count_as_failed_signatures() -> None:
    async def act(session: ClientSession, url: str) -> set[int]:
        statuses = set()
        for _ in range(2 * AT_ONCE):
            async with session.post(url, data=b"[1]", headers=signed(b"[1]")) as response:
                statuses.add(response.status)
        return statuses

    assert ask(Journal(), act) == {400}


ODD_HEADERS = (
    {"X-GitHub-Event": "x" * 8000},
    {"X-GitHub-Delivery": "../../etc/passwd"},
    {"X-GitHub-Delivery": "\xfc\xe4"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"X-Hub-Signature-256": "sha256=" + "\xfc" * 64},
    {"X-Hub-Signature-256": "sha256=" + "A" * 64},
)


@pytest.mark.parametrize("odd", ODD_HEADERS)
@pytest.mark.parametrize(
    "body", [b"{}", b"", b"\xff", b'{"a":' * 9000, b'{"a": NaN, "action": 1e999}', b'"' + b"\\" * 9001]
)
def test_whatever_is_sent_the_answer_is_a_4xx(body: bytes, odd: dict[str, str]) -> None:
    assert 400 <= post(Journal(), body, {**signed(body), **odd})[0] < 500


@pytest.mark.parametrize("event", ["push", "star", "marketplace_purchase", "a_new_event"])
def test_events_that_nobody_asked_for_are_taken_and_dropped(event: str) -> None:
    journal = Journal()
    for body in (b"{}", b'{"repository": {"id": 1e400}}', b'{"repository": "x", "installation": []}'):
        assert post(journal, body, signed(body, event))[0] == 202
    assert {name for name, _ in journal.calls} == {"note"}
