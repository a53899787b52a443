"""The last step of every task: keep how it ended, in store and log, and park it where it still owes a step."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from bot.domain import TaskRequest
from bot.records.work import TaskOutcome
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.parking import to_park
from bot.tasks.stepping import Json
from bot.tasks.workshop import Workshop

log = logging.getLogger(__name__)


class Concluding:
    """Keeps outcomes."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def conclude(self, request: TaskRequest, ending: Ending) -> Json:
        """Record the outcome and give it back as the task's result."""
        ending = await asyncio.to_thread(self._named, request, ending)
        outcome = TaskOutcome(
            task_id=request.key,
            repository_id=request.repository_id,
            kind=request.kind,
            name=ending.name.value,
            ended_at=self._workshop.now(),
            run_id=request.run_id or None,
            attempt=request.attempt or None,
            detail=ending.detail,
        )
        await asyncio.to_thread(self._workshop.store.outcomes.record, outcome)
        await asyncio.to_thread(self._park, request, ending)
        self._workshop.ended(request.kind, ending.name)
        log.info("task ended", extra={"task": request.key, "outcome": ending.name.value, "detail": ending.detail})
        return {"outcome": ending.name.value, "detail": ending.detail}

    def _park(self, request: TaskRequest, ending: Ending) -> None:
        later, book = to_park(request, ending, self._workshop.now()), self._workshop.store.parked
        if later is not None:
            book.park(later)
        elif request.again:
            book.ended(request.key)

    def _named(self, request: TaskRequest, ending: Ending) -> Ending:
        """A refusal by a suspended installation has a name of its own."""
        if ending.name is not OutcomeName.REFUSED:
            return ending
        known = self._workshop.store.installations.find(request.installation_id)
        return replace(ending, name=OutcomeName.SUSPENDED) if known and known.suspended else ending
