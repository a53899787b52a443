"""Read this first: the road of one nightly, one line a stage.

    webhook → task → evidence → calibration → edit → publish

`Pipeline.perform` is what a durable task runs. Each step's result is kept, so that a crash goes on
at the step it was in; each step may run twice, and the world sees its effect once. A step is a
method of the module named beside it; what it decides is pure and lives in the stage packages.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from bot.domain import TaskKind, TaskRequest
from bot.errors import UserError
from bot.publish.pull_request import Prepared
from bot.tasks.collecting import Collecting
from bot.tasks.concluding import Concluding
from bot.tasks.evaluating import Evaluating
from bot.tasks.installing import Installing
from bot.tasks.material import Material
from bot.tasks.moving import Moving
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.pinning import Pinning
from bot.tasks.preparing import Preparing
from bot.tasks.settling import Settling
from bot.tasks.stepping import Json, Steps
from bot.tasks.values import (
    COLLECTED,
    ENDING,
    EVALUATED,
    MOVED,
    PINNED,
    PREPARED,
    BaseMoved,
    Evaluated,
    Kept,
    Pinned,
)
from bot.tasks.workshop import Workshop

MAX_BASE_MOVES = 4

T = TypeVar("T")
log = logging.getLogger(__name__)


class _EndedError(Exception):
    """A step ended the task; carries the ending."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.name)
        self.ending = ending


class Pipeline:
    """Performs tasks. Holds no state of a task; everything that lasts is in the store."""

    def __init__(self, workshop: Workshop) -> None:
        material = Material(workshop)
        self._installing = Installing(workshop)
        self._pinning = Pinning(workshop)
        self._collecting = Collecting(workshop)
        self._evaluating = Evaluating(workshop, material)
        self._preparing = Preparing(workshop, material)
        self._moving = Moving(workshop)
        self._settling = Settling(workshop, material)
        self._concluding = Concluding(workshop)
        self._empty_log_wait_s = workshop.empty_log_wait_s

    async def perform(self, steps: Steps, request: TaskRequest) -> Json:
        """Do the whole task and keep how it ended, whatever that was."""
        try:
            ending = await self._road(steps, request)
        except _EndedError as ended:
            ending = ended.ending
        except UserError as error:
            ending = Ending(OutcomeName.REFUSED, str(error))
        except Exception as error:
            log.exception("task failed", extra={"task": request.key})
            ending = Ending(OutcomeName.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        return await steps.take("conclude", partial(self._concluding.conclude, request, ending))

    async def _road(self, steps: Steps, request: TaskRequest) -> Ending:
        if request.kind is TaskKind.INSTALLATION:
            return await _take(steps, ENDING, "note installation", partial(self._installing.note, request))
        pinned = await _take(steps, PINNED, "pin", partial(self._pinning.pin, request))
        await self._collect(steps, request, pinned)
        evaluated, prepared = await self._publish(steps, request, pinned)
        settle = partial(self._settling.settle, request, pinned, evaluated, prepared)
        return await _take(steps, ENDING, "pull request", settle)

    async def _collect(self, steps: Steps, request: TaskRequest, pinned: Pinned) -> None:
        """Read the logs; once more, later, where one that should say something is still empty."""
        collect = partial(self._collecting.collect, request, pinned)
        found = await _take(steps, COLLECTED, "collect", collect)
        if found.empty:
            await steps.pause(self._empty_log_wait_s)
            await _take(steps, COLLECTED, "collect again", collect)

    async def _publish(self, steps: Steps, request: TaskRequest, pinned: Pinned) -> tuple[Evaluated, Prepared]:
        """Evaluate, prepare and move, again from the evaluation on where the base moved meanwhile."""
        base_sha = pinned.base_sha
        for _ in range(MAX_BASE_MOVES):
            evaluate = partial(self._evaluating.evaluate, request, pinned, base_sha)
            evaluated = await _take(steps, EVALUATED, "evaluate", evaluate)
            prepare = partial(self._preparing.prepare, request, pinned, evaluated)
            prepared = await _take(steps, PREPARED, "prepare", prepare)
            if isinstance(prepared, BaseMoved):
                base_sha = prepared.base_sha
                continue
            moved = await _take(steps, MOVED, "move refs", partial(self._moving.move, request, prepared))
            if isinstance(moved, BaseMoved):
                continue
            return evaluated, prepared
        moved_on = f"{pinned.base} moved {MAX_BASE_MOVES} times while it was read"
        raise _EndedError(Ending(OutcomeName.BASE_KEEPS_MOVING, moved_on))


async def _take(steps: Steps, kind: Kept[T], name: str, work: Callable[[], Awaitable[Json]]) -> T:
    """One step's value; an ending it gives leaves the road."""
    value = kind.load(await steps.take(name, work))
    if isinstance(value, Ending) and kind is not ENDING:
        raise _EndedError(value)
    return value  # type: ignore[return-value] # an Ending only where T is Ending
