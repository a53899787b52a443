"""A scripted HTTP server on loopback for the tests of bot.forge: replies by method and path, every request kept."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.forge.client import GitHubClient, RetryPolicy
from bot.forge.endpoint import Endpoint
from bot.forge.transport import new_session
from bot.network import DIRECT

TOKEN = "planted-secret-4711"


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came in."""

    method: str
    path: str  # with its query, below /api
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    data: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json"

    def response(self) -> web.Response:
        body = json.dumps(self.data).encode() if self.raw is None else self.raw
        return web.Response(status=self.status, body=body, headers={**self.headers, "content-type": self.content_type})


Script = list[Reply] | Reply | Callable[[Seen], Reply]


class FakeGitHub:
    """`on` gives a path its replies: one for ever, a list one after the other (the last stays), or a function."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._scripts: dict[tuple[str, str], Script] = {}
        app = web.Application(client_max_size=1 << 28)
        app.router.add_route("*", "/{rest:.*}", self._serve)
        self._server = TestServer(app, host="127.0.0.1")

    def on(self, method: str, path: str, script: Script) -> None:
        self._scripts[method, path] = script

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint.of(self.origin)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.port}"

    def paths(self) -> list[str]:
        return [item.path for item in self.seen]

    async def __aenter__(self) -> FakeGitHub:
        await self._server.start_server()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._server.close()

    async def _serve(self, request: web.Request) -> web.Response:
        seen = Seen(request.method, request.raw_path, request.headers, await request.read())
        self.seen.append(seen)
        script = self._scripts.get((request.method, seen.path)) or self._scripts.get((request.method, request.path))
        if isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        if callable(script):
            script = script(seen)
        return (script or Reply(404, {"message": "Not Found"})).response()


class ManualTime:
    """A clock that moves only when somebody sleeps."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def policy(self, **changes: Any) -> RetryPolicy:
        return RetryPolicy(sleep=self.sleep, clock=self.clock, **changes)


@dataclass
class StaticCredential:
    """Signs with the planted token; counts how often it was told to forget it."""

    token: str = TOKEN
    renewable: bool = False
    forgotten: int = 0

    async def authorization(self) -> str:
        return f"Bearer {self.token}"

    def forget(self) -> bool:
        self.forgotten += 1
        return self.renewable


@asynccontextmanager
async def reading(
    fake: FakeGitHub, time: ManualTime | None = None, credential: StaticCredential | None = None, **policy: Any
) -> AsyncIterator[GitHubClient]:
    async with new_session(DIRECT) as session:
        yield GitHubClient(
            session, fake.endpoint, credential or StaticCredential(), (time or ManualTime()).policy(**policy)
        )
