"""Where pages are read and rendered: a few threads of their own, so that a slow query holds up no delivery.

What waits is bounded: where all threads are taken and the line is full, a visitor is told to come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bot.errors import RetryableError

THREADS = 4  # fewer than the store has connections
MOST_WAITING = 32
ANSWER_S = 20.0

T = TypeVar("T")


class PageThreads:
    """Threads for pages. `close` it at the end; a query under way is not waited for."""

    def __init__(self, threads: int = THREADS, most: int = THREADS + MOST_WAITING, answer_s: float = ANSWER_S) -> None:
        self._pool = ThreadPoolExecutor(threads, "pages")
        self._most = most
        self._answer_s = answer_s
        self._under_way = 0

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, done in a thread.

        Raises:
            RetryableError: too many wait already, or it took too long.
        """
        if self._under_way >= self._most:
            raise RetryableError("too many pages are asked for at once")
        self._under_way += 1
        done = asyncio.get_running_loop().run_in_executor(self._pool, work)
        done.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.shield(done), self._answer_s)
        except TimeoutError:
            raise RetryableError(f"a page took more than {self._answer_s:g} s") from None

    def _ended(self, done: asyncio.Future[T]) -> None:
        self._under_way -= 1
        if not done.cancelled():
            done.exception()  # somebody stopped waiting: nobody else looks at it

    def close(self) -> None:
        """Take no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)
