"""The second origin: job logs behind signed URLs that live one minute.

As with GitHub's storage, a request that carries an `Authorization` header is refused: a client
that follows the redirect with its token is caught here.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta

from aiohttp import web

from bot.sandbox.answers import Answer
from bot.sandbox.faults import LOGS, meet, suffered
from bot.sandbox.state.actions import LogFate
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Arrival, CallRecord
from bot.sandbox.wire import send

LINK_LIFE = timedelta(minutes=1)  # docs.github.com/rest/actions/workflow-jobs: "expires after 1 minute"
ROUTE = LOGS
_KEY = secrets.token_bytes(32)


def signed_url(world: World, repo: Repo, job_id: int) -> str:
    """Where one log can be had for a minute; a scenario may want the first link to be too old already."""
    life, log = LINK_LIFE, repo.logs[job_id]
    if log.fate is LogFate.EXPIRED_LINK:
        life, log.fate = -LINK_LIFE, LogFate.SERVED
    until = int((world.clock() + life).timestamp())
    return f"{world.logs_url}/{repo.id}/{job_id}?se={until}&sig={_signature(repo.id, job_id, until)}"


def make_app(world: World) -> web.Application:
    """The second origin as an application of its own."""
    app = web.Application()

    async def handle(request: web.Request) -> web.StreamResponse:
        for gate in world.gates:
            gate(Arrival("GET", ROUTE, request.path))
        fault = meet(world, "GET", (ROUTE,), request.path)
        response = _answer(world, request)
        if fault is not None:
            wrong = suffered(fault, lambda: Answer(_content(world, request)), None)
            response = await send(request, wrong, {})
        world.journal.append(CallRecord("GET", ROUTE, response.status, request.path))
        return response

    app.router.add_get("/{repo_id:[0-9]+}/{job_id:[0-9]+}", handle)
    return app


def _answer(world: World, request: web.Request) -> web.StreamResponse:
    if "Authorization" in request.headers:
        return web.Response(status=400, text="InvalidAuthenticationInfo: no Authorization header is accepted here")
    repo = world.repo_by_id(int(request.match_info["repo_id"]))
    job_id, until = int(request.match_info["job_id"]), request.query.get("se", "0")
    log = repo.logs.get(job_id) if repo else None
    if repo is None or log is None:
        return web.Response(status=404, text="BlobNotFound")
    signed = until.isdigit() and hmac.compare_digest(
        request.query.get("sig", ""), _signature(repo.id, job_id, int(until))
    )
    if not signed or int(until) < world.clock().timestamp():
        return web.Response(status=403, text="AuthenticationFailed: signature not valid in the specified time frame")
    if log.fate is LogFate.EMPTY or log.path is None:
        return web.Response(body=b"", content_type="text/plain")
    if not log.path.is_file():
        return web.Response(status=404, text="BlobNotFound")
    return web.FileResponse(log.path, headers={"Content-Type": "text/plain"})


def _content(world: World, request: web.Request) -> bytes:
    """The log's bytes, for an answer that is to go wrong on its way."""
    repo = world.repo_by_id(int(request.match_info["repo_id"]))
    log = repo.logs.get(int(request.match_info["job_id"])) if repo else None
    return log.path.read_bytes() if log and log.path and log.path.is_file() else b""


def _signature(repo_id: int, job_id: int, until: int) -> str:
    return hmac.new(_KEY, f"{repo_id}/{job_id}/{until}".encode(), hashlib.sha256).hexdigest()
