"""Promises of what lines are about: it follows the work, and ends with it."""

from __future__ import annotations

import asyncio

from bot.logs.context import about, present


def test_it_follows_tasks_threads_and_another_loop() -> None:
    async def there() -> dict[str, str | int]:
        return dict(present())

    async def work() -> list[dict[str, str | int]]:
        loop = asyncio.get_running_loop()
        with about(task="t", run=7):
            in_task = await asyncio.create_task(there())
            in_thread = dict(await asyncio.to_thread(present))
            handed = asyncio.run_coroutine_threadsafe(there(), loop)  # as the engine's loop hands steps to ours
            return [in_task, in_thread, await asyncio.wrap_future(handed)]

    assert asyncio.run(work()) == [{"task": "t", "run": 7}] * 3


def test_two_tasks_at_once_do_not_see_each_other() -> None:
    async def one(name: str, other: asyncio.Event, mine: asyncio.Event) -> dict[str, str | int]:
        with about(task=name):
            mine.set()
            await other.wait()
            return dict(present())

    async def both() -> list[dict[str, str | int]]:
        first, second = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(one("a", second, first), one("b", first, second))

    assert asyncio.run(both()) == [{"task": "a"}, {"task": "b"}]


def test_an_inner_block_adds_and_gives_back() -> None:
    with about(delivery="d", repository="zoo/otter"):
        with about(repository="zoo/lynx", run=1):
            assert present() == {"delivery": "d", "repository": "zoo/lynx", "run": 1}
        assert present() == {"delivery": "d", "repository": "zoo/otter"}
    assert present() == {}
