"""The sandbox as two HTTP servers on loopback: API and pages on one port, job logs on another.

Handlers are plain functions; they run one at a time on a thread of their own, so that a client in
the same process is not held up by git.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.sandbox import events, logs, pages, web_manifests, web_sign_in, webhooks
from bot.sandbox.answers import Answer, Route
from bot.sandbox.dispatch import GRAPHQL, ROUTES, Incoming, dispatch
from bot.sandbox.state import Json
from bot.sandbox.state.accounts import App
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Delivery
from bot.sandbox.wire import send

LOOPBACK = "127.0.0.1"
MAX_BODY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Urls:
    """Where a running sandbox is. `api` is a GHES-style base URL; GraphQL is beside it."""

    api: str
    graphql: str
    html: str
    logs: str


class Sandbox:
    """One running local GitHub over one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._runners: list[web.AppRunner] = []
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox")
        self.sending: set[asyncio.Task[Delivery]] = set()

    async def start(self, port: int = 0, logs_port: int = 0) -> Urls:
        """Listen on loopback (port 0: any free one) and tell where."""
        main = web.Application(client_max_size=MAX_BODY_BYTES)
        for route in ROUTES:
            main.router.add_route(route.method, f"/api/v3{route.template}", self._endpoint(route))
        main.router.add_route("POST", "/api/graphql", self._endpoint(GRAPHQL))
        main.router.add_route("*", "/api/{rest:.*}", self._unknown)
        web_sign_in.add_routes(main, self.world)
        web_manifests.add_routes(main, self.world, self._send_waiting)
        pages.add_routes(main, self.world, self._executor)
        self.world.html_url = await self._listen(main, port)
        self.world.api_url = f"{self.world.html_url}/api/v3"
        self.world.logs_url = await self._listen(logs.make_app(self.world), logs_port)
        return Urls(self.world.api_url, f"{self.world.html_url}/api/graphql", self.world.html_url, self.world.logs_url)

    async def stop(self) -> None:
        """Stop listening, after what is being delivered has been."""
        if self.sending:
            await asyncio.wait(self.sending)
        for runner in self._runners:
            await runner.cleanup()
        self._executor.shutdown()
        for repo in self.world.repos.values():
            repo.git.close()

    async def deliver(self, event: str, payload: Json, *, app: App | None = None, guid: str = "") -> Delivery:
        """Send one signed webhook to the App and wait for its answer.

        `app` None is the only one there is. A GUID given twice is what GitHub's redelivery sends.
        """
        to = app or next(iter(self.world.apps.values()))
        return await webhooks.send(self.world, webhooks.new_delivery(self.world, to, event, payload, guid))

    async def complete_run(self, run_id: int, attempt: int = 1, *, guid: str = "") -> Delivery:
        """Deliver `workflow_run: completed` for one attempt of a run that some repository has.

        Raises:
            KeyError: no repository has it.
        """
        repo = next((repo for repo in self.world.repos.values() if attempt in repo.runs.get(run_id, {})), None)
        if repo is None:
            raise KeyError(f"no repository has attempt {attempt} of run {run_id}")
        payload = await asyncio.get_running_loop().run_in_executor(
            self._executor, events.workflow_run, self.world, repo, run_id, attempt
        )
        return await self.deliver("workflow_run", payload, guid=guid)

    async def _listen(self, app: web.Application, port: int) -> str:
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        self._runners.append(runner)
        site = web.TCPSite(runner, LOOPBACK, port)
        await site.start()
        return f"http://{LOOPBACK}:{runner.addresses[0][1]}"

    def _endpoint(self, route: Route) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            incoming = Incoming(
                method=request.method,
                url=f"{self.world.html_url}{request.rel_url.raw_path}",
                path=request.path,
                parts=dict(request.match_info),
                query=dict(request.query),
                headers=request.headers,
                body=await request.read(),
            )
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._executor, dispatch, self.world, route, incoming)
            self._send_waiting()
            return await send(request, answer, _headers(self.world))

        return handle

    def _send_waiting(self) -> None:
        """Redeliveries that a handler asked for go out on their own."""
        while self.world.outbox:
            task = asyncio.ensure_future(webhooks.send(self.world, self.world.outbox.pop(0)))
            self.sending.add(task)
            task.add_done_callback(self.sending.discard)

    async def _unknown(self, request: web.Request) -> web.StreamResponse:
        """404 for an operation the sandbox does not have; the journal shows it."""
        route = Route(request.method, re.sub(r"^/api(/v3)?", "", request.path), _not_found)
        incoming = Incoming(request.method, str(request.url), request.path, {}, {}, request.headers)
        return await send(request, dispatch(self.world, route, incoming), _headers(self.world))


def _not_found(_: Any) -> Answer:
    return Answer({"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}, 404)


def _headers(world: World) -> dict[str, str]:
    reset = str(int(world.clock().timestamp()) + 3600)
    limits = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999", "X-RateLimit-Used": "1"}
    whose = {"X-RateLimit-Reset": reset, "X-RateLimit-Resource": "core"}
    return {**limits, **whose, "X-GitHub-Request-Id": f"SANDBOX:{len(world.journal)}"}
