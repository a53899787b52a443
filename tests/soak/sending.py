"""Sends a burst from a process of its own, so that nothing but the service decides how long an answer takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context

import aiohttp

from tests.soak.deliveries import Sent

AT_ONCE = 8
Reply = tuple[int, float]  # the status, and the seconds until it was there


def send(url: str, burst: Sequence[Sent]) -> list[Reply]:
    """Send all of it, `AT_ONCE` at a time, each as soon as another is answered; the replies in order."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_send, (url, burst))


def _send(url: str, burst: Sequence[Sent]) -> list[Reply]:
    return asyncio.run(_all(url, burst))


async def _all(url: str, burst: Sequence[Sent]) -> list[Reply]:
    replies: list[Reply] = [(0, 0.0)] * len(burst)
    waiting = iter(enumerate(burst))
    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(_worker(session, url, waiting, replies) for _ in range(AT_ONCE)))
    return replies


async def _worker(
    session: aiohttp.ClientSession, url: str, waiting: Iterator[tuple[int, Sent]], replies: list[Reply]
) -> None:
    for number, one in waiting:
        started = time.perf_counter()
        try:
            async with session.post(url, data=one.body, headers=one.headers) as response:
                await response.read()
                status = response.status
        except aiohttp.ClientError:
            status = 0
        replies[number] = (status, time.perf_counter() - started)
