"""A store that the service itself has filled: generated nights, delivered one after another by the local GitHub."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.cli.demo import PATIENCE_S, stage
from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.sandbox.generator import Generate, generate
from bot.sandbox.generator.generate import STORY_JOBS
from bot.store.open import Store


async def worked(folder: Path, nights: int) -> str:
    """The store's URL, when all nights are worked on."""
    generate(folder / "made", Generate(nights=nights, jobs=STORY_JOBS + 3, files_per_job=4))
    async with stage(folder / "made" / "scenario.json", folder) as running:
        for planned in running.scenario.deliver:
            await running.sandbox.complete_run(RunId(planned.run_id), planned.attempt)
            request = TaskRequest(
                kind=TaskKind.NIGHTLY,
                installation_id=running.scenario.access.installation.id,
                repository_id=RepositoryId(running.repository.id),
                run_id=RunId(planned.run_id),
                attempt=planned.attempt,
            )
            async with asyncio.timeout(PATIENCE_S):
                await running.service.queue.result(request.key)
    return f"sqlite:///{folder / 'recalibrate.sqlite'}"


def demo_store(folder: Path, nights: int) -> Store:
    return Store.open(asyncio.run(worked(folder, nights)))
