"""Read this first: the road of one nightly, one line a stage.

    webhook → task → evidence → calibration → edit → publish

`Pipeline.perform` is what a durable task runs. Each step's result is kept, so that a crash goes on
at the step it was in; each step may run twice, and the world sees its effect once. A step is a
method of the module named beside it; what it decides is pure and lives in the stage packages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial

from bot.domain import TaskKind, TaskRequest
from bot.publish.pull_request import Prepared
from bot.tasks.backfilling import Backfilling
from bot.tasks.checking import Checking, OneCheck, as_asked
from bot.tasks.collecting import Collecting
from bot.tasks.commanding import Commanding
from bot.tasks.concluding import Concluding
from bot.tasks.evaluating import Evaluating
from bot.tasks.hosted import Hosted
from bot.tasks.installing import Installing
from bot.tasks.material import Material, Published
from bot.tasks.moving import Moving
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.pinning import Pinning
from bot.tasks.preparing import Preparing
from bot.tasks.pull_checking import PullChecking
from bot.tasks.retaining import Retaining
from bot.tasks.selection import EVERYTHING, Selection
from bot.tasks.settling import Settling
from bot.tasks.stepping import Json, Steps
from bot.tasks.sweeping import Sweeping
from bot.tasks.taking import EndedError, ending_of, take
from bot.tasks.values import (
    COLLECTED,
    ENDING,
    EVALUATED,
    MOVED,
    PERMITTED,
    PINNED,
    PREPARED,
    BaseMoved,
    Evaluated,
    Pinned,
)
from bot.tasks.workshop import Workshop

MAX_BASE_MOVES = 4

Collect = Callable[[TaskRequest, Pinned], Awaitable[Json]]


class Pipeline:
    """Performs tasks. Holds no state of a task; everything that lasts is in the store."""

    def __init__(self, workshop: Workshop) -> None:
        self._material = material = Material(workshop)
        self._installing = Installing(workshop)
        self._pinning = Pinning(workshop)
        self._hosted = Hosted(workshop)
        self._collecting = Collecting(workshop)
        self._backfilling = Backfilling(workshop, self._collecting)
        self._evaluating = Evaluating(workshop, material)
        self._preparing = Preparing(workshop, material)
        self._checking = Checking(workshop, material)
        self._pull_checking = PullChecking(workshop)
        self._moving = Moving(workshop)
        self._settling = Settling(workshop, material)
        self._commanding = Commanding(workshop, material, self)
        self._sweeping = Sweeping(workshop)
        self._retaining = Retaining(workshop)
        self._concluding = Concluding(workshop)
        self._empty_log_wait_s = workshop.empty_log_wait_s

    async def perform(self, steps: Steps, request: TaskRequest) -> Json:
        """Do the whole task and keep how it ended, whatever that was."""
        ending = await self._ended(request, self._road(steps, request))
        return await steps.at_the_end().take("conclude", partial(self._concluding.conclude, request, ending))

    async def _ended(self, request: TaskRequest, road: Coroutine[None, None, Ending]) -> Ending:
        """How a road ends, whatever happens on it."""
        try:
            return await road
        except Exception as error:
            return ending_of(request, error)

    async def perform_named(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Json:
        """The same for runs a person named, the newest last: exactly these are evaluated, in one go.

        A run that is no nightly is read too, and makes the whole only report.
        """
        request = named[-1]
        ending = await self._ended(request, self._named_road(steps, named, selection))
        return await steps.at_the_end().take("conclude", partial(self._concluding.conclude, request, ending))

    async def preview(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Published | Ending:
        """What `perform_named` would publish; nothing is written to GitHub."""
        try:
            pinned, exactly = await self.read_named(steps, named, selection)
            evaluate = partial(self._evaluating.evaluate, named[-1], pinned, pinned.base_sha, exactly)
            evaluated = await take(steps, EVALUATED, "evaluate", evaluate)
        except EndedError as ended:
            return ended.ending
        return await self._material.load(named[-1], evaluated)

    async def _named_road(self, steps: Steps, named: Sequence[TaskRequest], selection: Selection) -> Ending:
        pinned, exactly = await self.read_named(steps, named, selection)
        return await self.publish(steps, named[-1], pinned, exactly)

    async def read_named(
        self, steps: Steps, named: Sequence[TaskRequest], selection: Selection
    ) -> tuple[Pinned, Selection]:
        """Pin and collect every named run; the newest one's pin, and the selection of exactly these."""
        for request in named:
            pinned = await take(steps, PINNED, f"pin {request.run_id}", partial(self._pinning.pin_named, request))
            await self._collect(steps, request, pinned, self._collecting.collect_missing)
        return pinned, replace(selection, runs=tuple(dict.fromkeys(request.run_id for request in named)))

    async def _road(self, steps: Steps, request: TaskRequest) -> Ending:
        if request.kind is TaskKind.COMMAND:
            return await self._commanding.perform(steps, request)
        if request.kind is TaskKind.RETENTION:
            return await self._retaining.perform(steps)
        if request.kind is TaskKind.SWEEP:
            return await self._sweeping.perform(steps, request)
        if request.kind is TaskKind.INSTALLATION:
            return await take(steps, ENDING, "note installation", partial(self._installing.note, request))
        if request.whole_suite:
            return await take(steps, ENDING, "ask for each check run", partial(self._checking.ask_again, request))
        if request.number:
            return await self._pull_checking.perform(steps, request)
        if request.kind is TaskKind.CHECK_ACTION:
            return await self._asked_road(steps, request)
        pinned = await take(steps, PINNED, "pin", partial(self._pinning.pin, request))
        if request.host is None and pinned.config.evidence.for_:
            await steps.take("ask guests", partial(self._hosted.ask, request, pinned))
        known = request.again > 0  # an earlier take has read logs already
        collect = self._collecting.collect_missing if known else self._collecting.collect
        await self._collect(steps, request, pinned, collect)
        if request.host is None:
            await self._backfilling.perform(steps, request, pinned)
        return await self.publish(steps, request, pinned)

    async def _asked_road(self, steps: Steps, request: TaskRequest) -> Ending:
        """The same for a person who pressed a button of a nightly's check run, without reading known logs again."""
        try:
            pinned = await take(steps, PINNED, "pin", partial(self._pinning.pin, request))
            await take(steps, PERMITTED, "permit", partial(self._checking.permit, request, pinned))
            await self._collect(steps, request, pinned, self._collecting.collect_missing)
        except Exception as error:
            ending = ending_of(request, error)
            if ending.owed:
                return ending
            return await take(steps, ENDING, "say why not", partial(self._checking.say_why_not, request, ending))
        return await self.publish(steps, request, as_asked(request, pinned))

    async def publish(
        self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection = EVERYTHING
    ) -> Ending:
        """From the evaluation to the pull request; what kept a check run away stands in the ending's detail."""
        check = OneCheck(self._checking, steps, request, pinned)
        try:
            evaluated, prepared = await self._publish(steps, request, pinned, selection, check)
            settle = partial(self._settling.settle, request, pinned, evaluated, prepared)
            ending = await take(steps, ENDING, "pull request", settle)
        except Exception as error:
            ending = ending_of(request, error)
        return check.noted(ending)

    async def _collect(self, steps: Steps, request: TaskRequest, pinned: Pinned, how: Collect) -> None:
        """Read the logs; once more, later, where one that should say something is still empty."""
        collect = partial(how, request, pinned)
        found = await take(steps, COLLECTED, "collect", collect)
        if found.empty:
            await steps.pause(self._empty_log_wait_s)
            await take(steps, COLLECTED, "collect again", collect)

    async def _publish(
        self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection, check: OneCheck
    ) -> tuple[Evaluated, Prepared]:
        """Evaluate, prepare, check and move, again from the evaluation on where the base moved meanwhile."""
        base_sha = pinned.base_sha
        for _ in range(MAX_BASE_MOVES):
            evaluate = partial(self._evaluating.evaluate, request, pinned, base_sha, selection)
            evaluated = await take(steps, EVALUATED, "evaluate", evaluate)
            prepare = partial(self._preparing.prepare, request, pinned, evaluated)
            try:
                prepared = await take(steps, PREPARED, "prepare", prepare)
            except Exception as error:
                ending = ending_of(request, error)
                if not ending.owed:  # the next take puts it, with what came of it then
                    await check.put(evaluated, ending)
                raise EndedError(ending) from error
            if isinstance(prepared, BaseMoved):
                base_sha = prepared.base_sha
                continue
            await check.put(evaluated, prepared)
            moved = await take(steps, MOVED, "move refs", partial(self._moving.move, request, prepared))
            if isinstance(moved, BaseMoved):
                continue
            return evaluated, prepared
        moved_on = f"{pinned.base} moved {MAX_BASE_MOVES} times while it was read"
        ending = Ending(OutcomeName.BASE_KEEPS_MOVING, moved_on)
        await check.put(evaluated, ending)
        raise EndedError(ending)
