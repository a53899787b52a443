"""Everything that a scrape can show, by family: what the documents and the alerts are held to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.domain import TaskKind
from bot.forge.calls import Budget, Half, Heard
from bot.metrics.counts import Counts
from bot.metrics.standing import Sources, Standing
from bot.tasks.left_behind import Unfinished
from bot.tasks.outcomes import OutcomeName
from bot.tasks.stepping import StepEnd
from bot.webhook.ready import NotReady
from tests.unit.metrics.scraped import families


@dataclass(frozen=True)
class Told:
    """One family: its labels and what it means."""

    labels: tuple[str, ...]
    meaning: str


def told() -> Mapping[str, Told]:
    """By the name that a query uses."""
    counts = Counts()
    counts.built("1", "1", "all")
    counts.delivery("workflow_run", "task")
    counts.page("test", 200)
    counts.task(TaskKind.NIGHTLY, OutcomeName.PUBLISHED)
    counts.step(StepEnd.DONE)
    counts.call(Heard(Half.READS, 200, Budget("core", 5000, 1, 1 << 33)))
    standing = Standing(Sources(_tasks, _nightly, _reasons, datetime.now))
    asyncio.run(standing.look())
    counts.registry.register(standing)
    return {
        family.samples[0].name: Told(tuple(family.samples[0].labels), family.documentation)
        for family in families(counts.registry)
    }


async def _tasks() -> list[Unfinished]:
    return []


async def _nightly() -> datetime:
    return datetime.now()


async def _reasons() -> tuple[NotReady, ...]:
    return ()
