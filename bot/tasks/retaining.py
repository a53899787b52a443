"""The road of a retention: once a day what was kept for long enough is deleted, and what was deleted is counted.

Measurements are not its part: a repository's own `history.keep_days` bounds them, after each of its nightlies.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from functools import partial

from bot.domain import TaskKind, TaskRequest
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.stepping import Json, Steps
from bot.tasks.taking import take
from bot.tasks.values import ENDING
from bot.tasks.workshop import Keeping, Workshop


def retention_request(now: datetime) -> TaskRequest:
    """The retention of a day: one and the same for everybody who asks within it."""
    return TaskRequest(TaskKind.RETENTION, 0, delivery=f"{now:%Y-%m-%d}")


class Retaining:
    """Deletes what is older than the operator's `RECALIBRATE_KEEP_DAYS`."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def perform(self, steps: Steps) -> Ending:
        """The whole of it; its ending says what was deleted, or that there was nothing to do."""
        keeping = self._workshop.keeping
        if keeping is None:
            return Ending(OutcomeName.REFUSED, "this process deletes nothing")
        return await take(steps, ENDING, "retain", partial(self.retain, keeping))

    async def retain(self, keeping: Keeping) -> Json:
        """Delete it; a second time finds less."""
        store, edge = self._workshop.store, self._workshop.now() - timedelta(days=keeping.days)
        gone = {
            "deliveries": await asyncio.to_thread(store.deliveries.forget_before, edge),
            "outcomes": await asyncio.to_thread(store.outcomes.forget_before, edge),
            "ended tasks": await keeping.trim(edge),
        }
        told = ", ".join(f"{count} {what}" for what, count in gone.items() if count)
        if not told:
            return ENDING.dump(Ending(OutcomeName.NOTHING_TO_DO, f"nothing is older than {keeping.days} days"))
        return ENDING.dump(Ending(OutcomeName.TRIMMED, f"{told} older than {keeping.days} days deleted"))
