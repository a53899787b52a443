"""The pages with what they ask: GitHub about a visitor, the queue about what is under way, the store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from aiohttp import web

from bot.app.reached import named_github
from bot.dashboard import addresses
from bot.dashboard.ports import UnderWay
from bot.dashboard.site import Site
from bot.dashboard.threads import PageThreads
from bot.forge.transport import new_session
from bot.forge.visitors import GitHubVisitors, OAuthClient
from bot.metrics.counts import Counts
from bot.settings import Settings
from bot.store.open import Store
from bot.tasks.queue import DurableQueue


@dataclass(frozen=True, slots=True)
class QueueTasks:
    """Fulfils `bot.dashboard.ports.Tasks`."""

    queue: DurableQueue

    async def under_way(self) -> Sequence[UnderWay]:
        """The tasks that have not ended, oldest first."""
        return tuple(UnderWay(one.key, one.executor, one.waiting) for one in await self.queue.unfinished())


async def pages_of(
    stack: AsyncExitStack, settings: Settings, store: Store, queue: DurableQueue, counts: Counts
) -> web.Application | None:
    """The pages, None where none are configured; what they hold is let go with the stack."""
    if settings.pages is None:
        return None
    endpoint = named_github(settings.github_url, settings.network)
    session = await stack.enter_async_context(new_session(endpoint.network))
    client = OAuthClient(
        settings.pages.client_id, settings.pages.client_secret, settings.pages.url + addresses.SIGNED_IN
    )
    threads = PageThreads()
    stack.callback(threads.close)
    return Site(
        settings=settings.pages,
        store=store,
        visitors=GitHubVisitors(session, endpoint, client),
        tasks=QueueTasks(queue),
        threads=threads,
        server=endpoint.web,
        counted=counts.page,
    ).application()
