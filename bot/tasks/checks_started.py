"""Says on a pull request of ours that no workflow has started on it, where workflows of the repository do elsewhere.

A pull request that nobody checks rots: GitHub starts none for what a workflow's own token opens
(https://github.com/peter-evans/create-pull-request/issues/48), or an organisation holds them back for
approval. One comment, edited when they have started.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from bot.domain import TaskRequest
from bot.publish.names import marker
from bot.records.publications import Publication
from bot.tasks.ports import Forge, Writes
from bot.tasks.workshop import Workshop

KEY = "checks-missing"
EVENT = "pull_request"
PATIENCE = timedelta(minutes=30)
LOOKED_AT = timedelta(days=3)  # a pull request older than that has been told, or was fine
ELSEWHERE = timedelta(days=14)


async def say_missing_checks(workshop: Workshop, here: TaskRequest, forge: Forge) -> tuple[str, ...]:
    """Look at the pull requests that stand; the name of the trouble where one has no workflow run."""
    standing = await asyncio.to_thread(workshop.store.publications.standing, here.repository_id)
    now = workshop.now()
    told = [await _told(forge, one, now) for one in standing if PATIENCE <= now - one.published_at <= LOOKED_AT]
    return (KEY,) if any(told) else ()


async def _told(forge: Forge, one: Publication, now: datetime) -> bool:
    """True where it was said that nothing has started."""
    if await forge.runs.any_run(EVENT, one.published_at - PATIENCE, one.commit):
        await forge.write(lambda writes: _take_back(one, forge.app_id, writes))
        return False
    if not await forge.runs.any_run(EVENT, now - ELSEWHERE):
        return False  # this repository checks no pull request
    await forge.write(lambda writes: _say(one, forge.app_id, writes))
    return True


def _say(one: Publication, app_id: int, writes: Writes) -> None:
    mark = marker(app_id, KEY)
    minutes = int(PATIENCE.total_seconds() // 60)
    text = (
        f"{mark}\nNo workflow has started on {one.commit} within {minutes} minutes, though workflows run on other pull "
        "requests here. They may wait for an approval, or the App's events may not start them. "
        "Closing and reopening this pull request starts them.\n"
    )
    writes.comments.put(one.pull_request or 0, mark, text)


def _take_back(one: Publication, app_id: int, writes: Writes) -> None:
    mark = marker(app_id, KEY)
    if one.pull_request and writes.comments.find(one.pull_request, mark):
        writes.comments.put(one.pull_request, mark, f"{mark}\nWorkflows have started on {one.commit}.\n")
