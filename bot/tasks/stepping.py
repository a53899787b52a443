"""How a pipeline takes a step: a named piece of work whose JSON-plain result is kept.

`PlainSteps` just does it (command line). `bot.tasks.queue.DurableSteps` keeps results across
crashes. Both treat the three kinds of failure alike: a retryable one waits as long as the server
asked and tries again, a bounded number of times; a user error and a bug pass through. Where the
tries or the time run out, a durable task is parked (`bot.tasks.parking`), a command gives up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.errors import RetryableError, UserError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Work = Callable[[], Awaitable[Json]]
Tried = Callable[["StepEnd"], None]

MAX_TRIES = 6  # while a person watches
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 3600.0  # GitHub's primary limit renews within the hour


class StepEnd(StrEnum):
    """How one try of a step ended."""

    DONE = "done"
    LATER = "later"  # a failure that may pass: it is tried again after a wait
    REFUSED = "refused"  # something a person must change
    BROKEN = "broken"  # our fault


def untold(_end: StepEnd) -> None:
    """Nobody counts."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a task waits, in seconds.

    Where the server does not say: `first_s` after a first passing failure, doubling from there,
    `tries` times in all. A task waits in its lane, before others of its repository: all its failed
    tries and the waits between them together take `lane_s`, then it is parked and the lane is free.
    `empty_log_s` for a log without bytes, which may have some soon
    (github.com/cli/cli/issues/10853). `longest_s` bounds every wait, the server's own word included.
    """

    first_s: float = FIRST_WAIT_S
    empty_log_s: float = 120.0
    longest_s: float = LONGEST_WAIT_S
    tries: int = 12
    lane_s: float = 300.0

    def wait_s(self, asked_s: float | None, tried: int) -> float:
        """Seconds to wait before the next try: the server's word, else doubling from `first_s`."""
        return min(wait_s(asked_s, tried, self.first_s), self.longest_s)

    async def sleep(self, seconds: float) -> None:
        """Wait as long, at most `longest_s`."""
        await asyncio.sleep(min(seconds, self.longest_s))


PATIENT = Patience()
PASSING = (RetryableError, BrokenExecutor)  # the second: a process died, such as one out of memory


class ParkedError(UserError):
    """A step of a durable task has waited for long enough: the task ends here and is taken up again later.

    `step` is its name; `after_s` the wait the server asked for last, in seconds, None where it asked for none.
    """

    def __init__(self, step: str, why: str, after_s: float | None) -> None:
        super().__init__(f"step {step}: {why}")
        self.step = step
        self.after_s = after_s


def asked_s(error: Exception) -> float | None:
    """The wait that an error asks for, in seconds."""
    return error.after_s if isinstance(error, RetryableError) else None


class Steps(Protocol):
    """Takes steps."""

    async def take(self, name: str, work: Work) -> Json:
        """Do `work` and return its result, or the kept result of an earlier time.

        Raises:
            ParkedError: a durable task has waited for long enough.
            UserError: a person must change something first, or a command's tries ran out.
        """
        ...

    async def pause(self, seconds: float) -> None:
        """Wait; a wait that was begun before a crash is not begun again."""
        ...

    def at_the_end(self) -> Steps:
        """For what is left to do however a task went: its lane waits, and what was lost before does not count."""
        ...


def wait_s(error_after_s: float | None, tried: int, first_s: float = PATIENT.first_s) -> float:
    """Seconds to wait before the next try: the server's word, else doubling from `first_s`."""
    if error_after_s is not None:
        return min(max(error_after_s, 0.0), LONGEST_WAIT_S)
    return min(first_s * 2.0 ** (tried - 1), LONGEST_WAIT_S)


class PlainSteps:
    """Steps without memory, for a command that a person watches."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await self._sleep(seconds)

    def at_the_end(self) -> PlainSteps:
        """The same: no lane waits for a command."""
        return self

    async def take(self, name: str, work: Work) -> Json:
        """See `Steps.take`."""
        why = ""
        for tried in range(1, MAX_TRIES + 1):
            try:
                return await work()
            except PASSING as error:
                why = str(error)
                if tried < MAX_TRIES:
                    await self._sleep(wait_s(asked_s(error), tried))
        raise UserError(f"step {name}: gave up after {MAX_TRIES} tries: {why}")
