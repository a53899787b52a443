"""The step beside a night: earlier nights of its workflow that GitHub still has, and nobody has read, are read too.

At a first start these are all; later those that never came, or that GitHub asked to wait with. Bounded in days,
runs and jobs. A run that is no configured nightly, or whose logs carry no timings, asks for none; what is known of
other workflows does not count. What the store knows already is never read here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from bot.domain import Run, TaskRequest
from bot.errors import RetryableError, UserError
from bot.records.measurements import RunQuery
from bot.tasks.collecting import Collecting
from bot.tasks.stepping import Json, Steps
from bot.tasks.taking import take
from bot.tasks.values import Kept, Pinned
from bot.tasks.workshop import Workshop

MOST_JOBS = 1000  # each costs a request: a fifth of an installation's hour at least stays free


@dataclass(frozen=True, slots=True)
class EarlierNights:
    """The nights to read, newest first."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class OneNight:
    """What reading one night came to. `go_on` is False where GitHub asks to wait."""

    jobs: int = 0
    go_on: bool = True


EARLIER: Kept[EarlierNights] = Kept(EarlierNights)
NIGHT: Kept[OneNight] = Kept(OneNight)


class Backfilling:
    """Reads retained nights that the store does not know, once the night that asks has been read itself."""

    def __init__(self, workshop: Workshop, collecting: Collecting) -> None:
        self._workshop = workshop
        self._collecting = collecting

    async def perform(self, steps: Steps, request: TaskRequest, pinned: Pinned) -> None:
        """All of it; a step a night, so that a crash reads none twice."""
        earlier = await take(steps, EARLIER, "find earlier nights", partial(self.find, request, pinned))
        jobs = 0
        for run in earlier.runs:
            if jobs >= MOST_JOBS:
                return
            read = await take(steps, NIGHT, f"read night {run.run_id}", partial(self.read, request, pinned, run))
            jobs += read.jobs
            if not read.go_on:
                return

    async def find(self, request: TaskRequest, pinned: Pinned) -> Json:
        """Earlier runs of the same workflow, event and branch that are not known; none where enough of them are."""
        wanted, newest = pinned.config.history, pinned.run
        days = min(wanted.backfill_days, wanted.keep_days)
        if not newest.trusted or newest.created_at is None or not days or not wanted.backfill_runs:
            return EARLIER.dump(EarlierNights(()))
        since = newest.created_at - timedelta(days=days)
        history = self._workshop.store.history
        nights = await asyncio.to_thread(history.nights, request.repository_id, newest.workflow, since)
        if nights > wanted.backfill_runs:
            return EARLIER.dump(EarlierNights(()))
        query = RunQuery(newest.workflow.partition("@")[0], newest.event, newest.head_branch, since)
        try:
            found = await self._workshop.forge(request).runs.recent(query, wanted.backfill_runs + 1)
        except (RetryableError, UserError):
            return EARLIER.dump(EarlierNights(()))
        known = await asyncio.to_thread(history.runs, request.repository_id)
        before = [run for run in found if run.created_at and run.created_at < newest.created_at]
        unread = [run for run in before[: wanted.backfill_runs] if run.run_id not in known]
        return EARLIER.dump(EarlierNights(tuple(unread)))

    async def read(self, request: TaskRequest, pinned: Pinned, run: Run) -> Json:
        """One night into the store; one whose logs are gone is no trouble."""
        night = replace(request, run_id=run.run_id, attempt=run.attempt)
        try:
            await self._collecting.keep(night, replace(pinned, run=replace(run, trusted=pinned.run.trusted)))
        except RetryableError:
            return NIGHT.dump(OneNight(go_on=False))
        except UserError:
            return NIGHT.dump(OneNight())
        kept = await asyncio.to_thread(self._workshop.store.runs.find, request.repository_id, run.run_id)
        return NIGHT.dump(OneNight(jobs=sum(len(one.jobs) for one in kept)))
