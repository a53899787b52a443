"""How a process is: what its parts are asked, for `/readyz` and for the metrics.

The store is asked on a thread of its own: the loop's pool is the engine's, and goes with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import datetime
from typing import TypeVar

from bot.app.introduced import Introduced
from bot.metrics.standing import Sources
from bot.store.open import Store, utc_now
from bot.tasks.queue import DurableQueue
from bot.webhook.ready import NotReady, Probe, Readiness

T = TypeVar("T")


class Health:
    """Asks store and queue, and in a process that only works whether GitHub was ever reached.

    Whoever receives too keeps deliveries meanwhile: it is not to be taken out of a load balancer's sight for that.
    """

    def __init__(self, store: Store, queue: DurableQueue, asking: Executor, introduced: Introduced | None) -> None:
        self._store = store
        self._queue = queue
        self._asking = asking
        probes: dict[NotReady, Probe] = {
            NotReady.STORE_AWAY: self._store_answers,
            NotReady.QUEUE_AWAY: queue.answers,
            NotReady.QUEUE_STOPPED: queue.runs,
        }
        if introduced:
            probes[NotReady.GITHUB_AWAY] = introduced.answers
        self.readiness = Readiness(probes)

    def sources(self) -> Sources:
        """What a scrape asks."""
        return Sources(self._queue.unfinished, self._newest_nightly, self.readiness.reasons, utc_now)

    async def _store_answers(self) -> None:
        await self._asked(self._store.answers)

    async def _newest_nightly(self) -> datetime | None:
        return await self._asked(self._store.runs.newest)

    async def _asked(self, question: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._asking, question)
