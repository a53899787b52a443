"""How things stand at the moment of a scrape: what waits, how old it is, what is not well.

What cannot be asked is left out, so that an old number is never taken for the present one, and
`recalibrate_not_ready` says why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bot.webhook.ready import ANSWER_S, NotReady

T = TypeVar("T")
log = logging.getLogger(__name__)


class Unfinished(Protocol):
    """A task that has not ended. Fulfilled by `bot.tasks.left_behind.Unfinished`."""

    @property
    def waiting(self) -> bool:
        """Nobody works on it."""
        ...

    @property
    def asked_at_s(self) -> float:
        """When it was asked for, in seconds since the epoch."""
        ...


@dataclass(frozen=True, slots=True)
class Sources:
    """Whom a scrape asks. `now` gives the present with its zone."""

    unfinished: Callable[[], Awaitable[Sequence[Unfinished]]]
    newest_nightly: Callable[[], Awaitable[datetime | None]]
    not_ready: Callable[[], Awaitable[Sequence[NotReady]]]
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class _Seen:
    now: datetime
    not_ready: Sequence[NotReady]
    unfinished: Sequence[Unfinished] | None  # None: not known
    newest_nightly: datetime | None


class Standing(Collector):
    """Looks first (`look`), then tells (`collect`): the registry itself cannot wait for an answer."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._seen: _Seen | None = None

    async def look(self) -> None:
        """Ask, each source for a few seconds at most."""
        sources = self._sources
        reasons = await sources.not_ready()
        queue = store = None
        if NotReady.QUEUE_AWAY not in reasons:
            queue = await _asked(sources.unfinished())
        if NotReady.STORE_AWAY not in reasons:
            store = await _asked(sources.newest_nightly())
        self._seen = _Seen(sources.now(), reasons, queue, store)

    def collect(self) -> Iterator[Metric]:
        """The gauges of the last look."""
        ready = GaugeMetricFamily(
            "recalibrate_not_ready", "1 for each reason why work cannot be taken.", labels=["reason"]
        )
        count = GaugeMetricFamily(
            "recalibrate_tasks_unfinished", "Tasks asked for and not ended, the oldest 1000.", labels=["state"]
        )
        task = GaugeMetricFamily(
            "recalibrate_oldest_task_age_seconds", "Age of the oldest task not ended; 0 without any."
        )
        nightly = GaugeMetricFamily(
            "recalibrate_newest_nightly_age_seconds", "Since the newest nightly that was read began."
        )
        if self._seen is not None:
            _fill(self._seen, ready, count, (task, nightly))
        yield from (ready, count, task, nightly)


def _fill(
    seen: _Seen, ready: GaugeMetricFamily, count: GaugeMetricFamily, ages: tuple[GaugeMetricFamily, GaugeMetricFamily]
) -> None:
    for reason in NotReady:
        ready.add_metric([reason.value], float(reason in seen.not_ready))
    now = seen.now.timestamp()
    if seen.unfinished is not None:
        waiting = sum(one.waiting for one in seen.unfinished)
        count.add_metric(["waiting"], waiting)
        count.add_metric(["at_work"], len(seen.unfinished) - waiting)
        ages[0].add_metric([], max((now - one.asked_at_s for one in seen.unfinished), default=0.0))
    if seen.newest_nightly is not None:
        ages[1].add_metric([], now - seen.newest_nightly.timestamp())


async def _asked(answer: Awaitable[T]) -> T | None:
    """An answer, None where there is none in time."""
    try:
        return await asyncio.wait_for(answer, ANSWER_S)
    except Exception as error:
        log.warning("a gauge is not known", extra={"why": type(error).__name__})
        return None
