"""Pages are made on threads of their own, so many at a time, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading

import pytest

from bot.dashboard.threads import THREADS, PageThreads
from bot.errors import RetryableError


def test_work_runs_off_the_loops_thread_and_its_error_arrives() -> None:
    async def scenario() -> None:
        threads = PageThreads()
        assert (await threads.run(threading.current_thread)).name.startswith("pages")
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: 1 / 0)
        threads.close()

    asyncio.run(scenario())


def test_a_slow_page_ends_its_wait_and_a_full_line_is_told_so() -> None:
    async def scenario() -> None:
        hasty, threads, go_on = PageThreads(1, 1, 0.05), PageThreads(1, 1), threading.Event()
        with pytest.raises(RetryableError, match="took more than"):
            await hasty.run(go_on.wait)
        waiting = asyncio.ensure_future(threads.run(go_on.wait))
        await asyncio.sleep(0)
        with pytest.raises(RetryableError, match="too many"):
            await threads.run(go_on.wait)
        go_on.set()
        assert await waiting
        assert await threads.run(lambda: 7) == 7
        for each in (hasty, threads):
            each.close()

    asyncio.run(scenario())


def test_what_a_delivery_waits_for_does_not_wait_for_pages() -> None:
    async def scenario() -> None:
        pages, go_on = PageThreads(), threading.Event()
        slow = [asyncio.ensure_future(pages.run(go_on.wait)) for _ in range(THREADS + 4)]
        await asyncio.sleep(0)
        assert await asyncio.to_thread(lambda: 7) == 7  # the receiver's own way to the store
        go_on.set()
        assert await asyncio.gather(*slow) == [True] * (THREADS + 4)
        pages.close()

    asyncio.run(scenario())
