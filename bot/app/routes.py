"""The addresses of the service, by role. What is answered there is the receiver's and readiness' part."""

from __future__ import annotations

from typing import NoReturn

from aiohttp import web

from bot.dashboard.site import PREFIX
from bot.metrics.page import MetricsPage
from bot.records.work import ProcessRole
from bot.webhook.ready import Readiness
from bot.webhook.receiver import Receiver


def routes_of(
    receiver: Receiver, readiness: Readiness, role: ProcessRole, pages: web.Application | None = None
) -> web.Application:
    """A process that only works has no webhook and no pages, and tells how it is like the others."""
    routes = web.Application(client_max_size=receiver.max_bytes)
    if role is not ProcessRole.WORKER:
        routes.router.add_post("/webhook", receiver.handle)
    routes.router.add_get("/healthz", _healthy)
    routes.router.add_get("/readyz", readiness.handle)
    if pages is not None:
        routes.add_subapp(PREFIX, pages)
        routes.router.add_get("/", _to_pages)
    return routes


def metrics_of(page: MetricsPage) -> web.Application:
    """What a scrape asks, at a port of its own."""
    routes = web.Application()
    routes.router.add_get("/metrics", page.handle)
    return routes


async def _healthy(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _to_pages(_request: web.Request) -> NoReturn:
    raise web.HTTPSeeOther(PREFIX)
