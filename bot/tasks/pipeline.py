"""Read this first: the road of one nightly, one line a stage.

    webhook → task → evidence → calibration → edit → publish

`Pipeline.perform` is what a durable task runs. Each step's result is kept, so that a crash goes on
at the step it was in; each step may run twice, and the world sees its effect once. A step is a
method of the module named beside it; what it decides is pure and lives in the stage packages.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from bot.domain import TaskKind, TaskRequest
from bot.errors import UserError
from bot.publish.pull_request import Prepared
from bot.tasks.collecting import Collecting
from bot.tasks.concluding import Concluding
from bot.tasks.evaluating import Evaluating
from bot.tasks.installing import Installing
from bot.tasks.material import Material, Published
from bot.tasks.moving import Moving
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.pinning import Pinning
from bot.tasks.preparing import Preparing
from bot.tasks.selection import EVERYTHING, Selection
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
        self._material = material = Material(workshop)
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
        ending = await self._ended(request, self._road(steps, request))
        return await steps.take("conclude", partial(self._concluding.conclude, request, ending))

    async def _ended(self, request: TaskRequest, road: Coroutine[None, None, Ending]) -> Ending:
        """How a road ends, whatever happens on it."""
        try:
            return await road
        except _EndedError as ended:
            return ended.ending
        except UserError as error:
            return Ending(OutcomeName.REFUSED, str(error))
        except Exception as error:
            log.exception("task failed", extra={"task": request.key})
            return Ending(OutcomeName.INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    async def perform_named(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Json:
        """The same for runs a person named, the newest last: exactly these are evaluated, in one go.

        A run that is no nightly is read too, and makes the whole only report.
        """
        request = named[-1]
        ending = await self._ended(request, self._named_road(steps, named, selection))
        return await steps.take("conclude", partial(self._concluding.conclude, request, ending))

    async def preview(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Published | Ending:
        """What `perform_named` would publish; nothing is written to GitHub."""
        try:
            pinned, exactly = await self._read_named(steps, named, selection)
            evaluate = partial(self._evaluating.evaluate, named[-1], pinned, pinned.base_sha, exactly)
            evaluated = await _take(steps, EVALUATED, "evaluate", evaluate)
        except _EndedError as ended:
            return ended.ending
        return await self._material.load(named[-1], evaluated)

    async def _named_road(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Ending:
        pinned, exactly = await self._read_named(steps, named, selection)
        evaluated, prepared = await self._publish(steps, named[-1], pinned, exactly)
        settle = partial(self._settling.settle, named[-1], pinned, evaluated, prepared)
        return await _take(steps, ENDING, "pull request", settle)

    async def _read_named(
        self, steps: Steps, named: Sequence[TaskRequest], selection: Selection
    ) -> tuple[Pinned, Selection]:
        """Pin and collect every named run; the newest one's pin, and the selection of exactly these."""
        for request in named:
            pinned = await _take(steps, PINNED, f"pin {request.run_id}", partial(self._pinning.pin_named, request))
            await self._collect(steps, request, pinned)
        return pinned, replace(selection, runs=tuple(dict.fromkeys(request.run_id for request in named)))

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

    async def _publish(
        self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection = EVERYTHING
    ) -> tuple[Evaluated, Prepared]:
        """Evaluate, prepare and move, again from the evaluation on where the base moved meanwhile."""
        base_sha = pinned.base_sha
        for _ in range(MAX_BASE_MOVES):
            evaluate = partial(self._evaluating.evaluate, request, pinned, base_sha, selection)
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
