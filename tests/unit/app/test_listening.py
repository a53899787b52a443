"""Promises of the port: whatever bytes a stranger sends, the log holds no fault of ours, and the next one is served."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.app.listening import runner_of
from bot.app.routes import routes_of
from bot.domain import NightlyFilter, RepositoryId, TaskRequest
from bot.records.work import ProcessRole
from bot.webhook.ready import Readiness
from bot.webhook.receiver import Receiver

WEBHOOK = b"POST /webhook HTTP/1.1\r\nHost: x\r\n"
HEALTHY = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
STRANGE: dict[str, bytes] = {
    "not deflate": WEBHOOK + b"Content-Encoding: deflate\r\nContent-Length: 20\r\n\r\n" + b"x" * 20,
    "not gzip": WEBHOOK + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + b"x" * 20,
    "half a body": WEBHOOK + b"Content-Length: 20\r\n\r\nhalf",
    "no chunk": WEBHOOK + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
    "a chunk that is longer than it says": WEBHOOK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
    "a chunk's head without an end": WEBHOOK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 100_000,
    "two lengths": WEBHOOK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a long header": WEBHOOK + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    "a NUL": b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "another version": b"GET / HTTP/9.9\r\n\r\n",
    "no address": b"POST http://[::1/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
    "nothing": b"",
}


class Nobody:
    async def enqueue(self, request: TaskRequest) -> None:
        raise AssertionError(request)

    def nightly_filter(self, repository_id: RepositoryId) -> NightlyFilter | None:
        raise AssertionError(repository_id)

    def note(self, guid: str, event: str, verdict: str) -> bool:
        raise AssertionError(guid, event, verdict)


@asynccontextmanager
async def listening(routes: web.Application) -> AsyncIterator[tuple[str, int]]:
    runner = runner_of(routes, 1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0]
    finally:
        await runner.cleanup()


async def answered(address: tuple[str, int], request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


async def left(address: tuple[str, int], request: bytes) -> None:
    """Sent by somebody who is gone before an answer."""
    _, writer = await asyncio.open_connection(*address)
    writer.write(request)
    await writer.drain()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("strange", STRANGE.values(), ids=STRANGE)
def test_no_strangers_bytes_are_a_fault_in_the_log(strange: bytes, caplog: pytest.LogCaptureFixture) -> None:
    routes = routes_of(Receiver("secret", Nobody(), Nobody()), Readiness({}), ProcessRole.ALL)

    async def scenario() -> bytes:
        async with listening(routes) as address:
            await left(address, strange)
            return await answered(address, HEALTHY)

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 200 ")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info] == []


def test_a_fault_of_ours_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_request: web.Request) -> web.Response:
        raise RuntimeError("ours")

    routes = web.Application()
    routes.router.add_get("/healthz", broken)

    async def scenario() -> bytes:
        async with listening(routes) as address:
            return await answered(address, HEALTHY)

    answer = asyncio.run(scenario())
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"ours" not in answer
    assert ["ours" in str(record.exc_info) for record in caplog.records] == [True]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "none-such"])
def test_a_body_is_taken_as_it_was_sent_and_never_unpacked(encoding: str, caplog: pytest.LogCaptureFixture) -> None:
    routes = routes_of(Receiver("secret", Nobody(), Nobody()), Readiness({}), ProcessRole.ALL)
    head = f"Connection: close\r\nContent-Encoding: {encoding}\r\nContent-Length: 20\r\n\r\n".encode()

    async def scenario() -> bytes:
        async with listening(routes) as address:
            return await answered(address, WEBHOOK + head + b"x" * 20)

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 401 ")
    assert [record for record in caplog.records if record.exc_info] == []
