"""Promises of what a scrape asks: present numbers or none, and never a wait without end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from prometheus_client import CollectorRegistry

from bot.metrics.standing import Sources, Standing
from bot.tasks.left_behind import Unfinished
from bot.webhook.ready import NotReady
from tests.unit.metrics.scraped import samples

T = TypeVar("T")
NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
OLD, NEW = (
    Unfinished("nightly:1:2:1", "repository:1", "one", "1", waiting=False, asked_at_s=NOW.timestamp() - 90),
    Unfinished("nightly:1:3:1", "repository:1", "", "1", waiting=True, asked_at_s=NOW.timestamp() - 5),
)


def said(answer: T) -> Callable[[], Awaitable[T]]:
    async def say() -> T:
        return answer

    return say


def broken() -> Callable[[], Awaitable[Sequence[Unfinished]]]:
    async def fail() -> Sequence[Unfinished]:
        raise OSError("gone")

    return fail


def scraped(
    unfinished: Callable[[], Awaitable[Sequence[Unfinished]]],
    nightly: datetime | None = None,
    reasons: tuple[NotReady, ...] = (),
) -> dict[str, float]:
    standing, registry = Standing(Sources(unfinished, said(nightly), said(reasons), lambda: NOW)), CollectorRegistry()
    asyncio.run(standing.look())
    registry.register(standing)
    return {name.removeprefix("recalibrate_"): value for name, value in samples(registry).items() if value}


def test_ages_and_counts_of_what_waits() -> None:
    assert scraped(said((OLD, NEW)), NOW - timedelta(hours=7)) == {
        'tasks_unfinished{state="waiting"}': 1.0,
        'tasks_unfinished{state="at_work"}': 1.0,
        "oldest_task_age_seconds": 90.0,
        "newest_nightly_age_seconds": 7 * 3600.0,
    }


def test_a_queue_that_breaks_while_it_is_asked_leaves_its_gauges_out() -> None:
    found = scraped(broken(), NOW - timedelta(seconds=1))
    assert found == {"newest_nightly_age_seconds": 1.0}


def test_what_is_away_is_not_asked_and_named() -> None:
    found = scraped(broken(), NOW, (NotReady.QUEUE_AWAY, NotReady.STORE_AWAY))
    assert found == {'not_ready{reason="queue_away"}': 1.0, 'not_ready{reason="store_away"}': 1.0}


def test_nothing_unfinished_is_an_age_of_zero_and_no_nightly_is_none() -> None:
    registry = CollectorRegistry()
    standing = Standing(Sources(said(()), said(None), said(()), lambda: NOW))
    asyncio.run(standing.look())
    registry.register(standing)
    found = samples(registry)
    assert found["recalibrate_oldest_task_age_seconds"] == 0.0
    assert "recalibrate_newest_nightly_age_seconds" not in found
