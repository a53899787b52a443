"""How a road takes its steps: one step's value, or the ending that leaves the road.

Shared by the roads of a nightly and of a comment command.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.domain import TaskRequest
from bot.errors import UserError
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.parking import parked
from bot.tasks.stepping import Json, ParkedError, Steps
from bot.tasks.values import ENDING, Kept

T = TypeVar("T")
log = logging.getLogger(__name__)


class EndedError(Exception):
    """A step ended the task; carries the ending."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.name)
        self.ending = ending


async def take(steps: Steps, kind: Kept[T], name: str, work: Callable[[], Awaitable[Json]]) -> T:
    """One step's value; an ending it gives leaves the road.

    Raises:
        EndedError: the step ended the task.
        ParkedError: GitHub is away for longer than a task waits.
        UserError: a person must change something first.
    """
    value = kind.load(await steps.take(name, work))
    if isinstance(value, Ending) and kind is not ENDING:
        raise EndedError(value)
    return value  # type: ignore[return-value] # an Ending only where T is Ending


def ending_of(request: TaskRequest, error: Exception) -> Ending:
    """The ending that an exception on a road means; one of ours to mend is logged with its trace."""
    if isinstance(error, EndedError):
        return error.ending
    if isinstance(error, ParkedError):
        return parked(request, error)
    if isinstance(error, UserError):
        return Ending(OutcomeName.REFUSED, str(error))
    log.error("task failed", exc_info=error, extra={"task": request.key})
    return Ending(OutcomeName.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
