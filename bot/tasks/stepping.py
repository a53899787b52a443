"""How a pipeline takes a step: a named piece of work whose JSON-plain result is kept.

`PlainSteps` just does it (command line). `bot.tasks.queue.DurableSteps` keeps results across
crashes. Both treat the three kinds of failure alike: a retryable one waits as long as the server
asked and tries again, a bounded number of times; a user error and a bug pass through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import Protocol

from bot.errors import RetryableError, UserError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Work = Callable[[], Awaitable[Json]]

MAX_TRIES = 6  # while a person watches
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 3600.0  # GitHub's primary limit renews within the hour


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a task waits, in seconds.

    Where the server does not say: `first_s` after a first passing failure, doubling from there.
    `tries` times in all: with its doubling waits a task outlasts an outage of an hour.
    `empty_log_s` for a log without bytes, which may have some soon
    (github.com/cli/cli/issues/10853). `longest_s` bounds every wait, the server's own word included.
    """

    first_s: float = FIRST_WAIT_S
    empty_log_s: float = 120.0
    longest_s: float = LONGEST_WAIT_S
    tries: int = 12

    def wait_s(self, asked_s: float | None, tried: int) -> float:
        """Seconds to wait before the next try: the server's word, else doubling from `first_s`."""
        return min(wait_s(asked_s, tried, self.first_s), self.longest_s)

    async def sleep(self, seconds: float) -> None:
        """Wait as long, at most `longest_s`."""
        await asyncio.sleep(min(seconds, self.longest_s))


PATIENT = Patience()
PASSING = (RetryableError, BrokenExecutor)  # the second: a process died, such as one out of memory


def asked_s(error: Exception) -> float | None:
    """The wait that an error asks for, in seconds."""
    return error.after_s if isinstance(error, RetryableError) else None


class Steps(Protocol):
    """Takes steps."""

    async def take(self, name: str, work: Work) -> Json:
        """Do `work` and return its result, or the kept result of an earlier time.

        Raises:
            UserError: a person must change something first, or the tries ran out.
        """
        ...

    async def pause(self, seconds: float) -> None:
        """Wait; a wait that was begun before a crash is not begun again."""
        ...


def wait_s(error_after_s: float | None, tried: int, first_s: float = PATIENT.first_s) -> float:
    """Seconds to wait before the next try: the server's word, else doubling from `first_s`."""
    if error_after_s is not None:
        return min(max(error_after_s, 0.0), LONGEST_WAIT_S)
    return min(first_s * 2.0 ** (tried - 1), LONGEST_WAIT_S)


def gave_up(name: str, why: str, tries: int = MAX_TRIES) -> UserError:
    """The error after the last try."""
    return UserError(f"step {name}: gave up after {tries} tries: {why}")


class PlainSteps:
    """Steps without memory, for a command that a person watches."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await self._sleep(seconds)

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
        raise gave_up(name, why)
