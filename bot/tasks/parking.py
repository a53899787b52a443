"""Tasks that wait for GitHub outside their lane: parked with what they still owe, taken up again when it is time.

A task is taken up from its first step on, as a new take of the same work: what it did already is found
and not done twice. How often is bounded; when the last take fails too, that is how the work ended.
Which step is worth waiting for is not decided here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import TaskRequest
from bot.records.work import Parked
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.stepping import ParkedError

MOST_TAKES = 8  # after the first one: with the waits below more than a day
FIRST_WAIT_S, LONGEST_WAIT_S = 900.0, 21_600.0
MOST_AT_ONCE = 20
LOOK_S = 60.0  # between two looks at what is due

log = logging.getLogger(__name__)


class ParkedBook(Protocol):
    """Where parked tasks are kept. Fulfilled by `bot.store.parked.ParkedTasks`."""

    def due(self, now: datetime, limit: int) -> tuple[Parked, ...]:
        """Those whose time has come, the longest due first."""
        ...

    def taken_up(self, parked: Parked) -> None:
        """Note that one was asked for again, so that it is due no more."""
        ...


def parked(request: TaskRequest, error: ParkedError) -> Ending:
    """How a take ends that has waited for long enough; the last one gives the work up."""
    if last(request):
        return Ending(OutcomeName.GIVEN_UP, f"{error}; given up after {request.again + 1} takes")
    return Ending(OutcomeName.PARKED, str(error), owed=error.step, after_s=error.after_s)


def last(request: TaskRequest) -> bool:
    """True where no take follows this one."""
    return request.again >= MOST_TAKES


def wait_s(request: TaskRequest, asked_s: float | None) -> float:
    """Seconds until the next take: a quarter of an hour, doubling from take to take; not less than asked for."""
    return min(max(FIRST_WAIT_S * 2.0**request.again, asked_s or 0.0), LONGEST_WAIT_S)


def to_park(request: TaskRequest, ending: Ending, now: datetime) -> Parked | None:
    """What is kept of a task that still owes a step; None where nothing is owed, or no take follows."""
    if not ending.owed or last(request):
        return None
    return Parked(
        key=request.key,
        repository_id=request.repository_id,
        request=replace(request, again=request.again + 1),
        owed=ending.owed,
        due_at=now + timedelta(seconds=wait_s(request, ending.after_s)),
    )


async def take_up(book: ParkedBook, enqueue: Callable[[TaskRequest], Awaitable[None]], now: datetime) -> int:
    """Ask for what is due; how many tasks. Several processes may do so at once: a take is one task."""
    due = await asyncio.to_thread(book.due, now, MOST_AT_ONCE)
    for one in due:
        await enqueue(one.request)
        await asyncio.to_thread(book.taken_up, one)
        log.info("task taken up again", extra={"task": one.key, "owed": one.owed, "take": one.request.again})
    return len(due)
