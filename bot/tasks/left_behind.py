"""Tasks that another process began or took on and did not end: what the durable engine knows, and taking them over.

One of the modules that import the engine (dbos 3.4). Which processes are gone is decided in
`bot.tasks.hosts`. Taking over may be asked for twice and by several hosts: the engine gives a task
back only where it is still held by the process that is gone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from dbos import DBOS, WorkflowStatus

MOST_LISTED = 1000
WAITING, AT_WORK, CANCELLED = "ENQUEUED", "PENDING", "CANCELLED"  # the engine's words


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A task that has not ended. `executor` holds it, or held it last; `waiting`: nobody works on it.

    `asked_at_s` is when it was asked for, in seconds since the epoch.
    """

    key: str
    lane: str
    executor: str
    version: str
    waiting: bool
    asked_at_s: float = 0.0


async def unfinished(queue: str) -> tuple[Unfinished, ...]:
    """The oldest tasks of a queue that have not ended, at most `MOST_LISTED`."""
    found = await DBOS.list_workflows_async(
        status=[WAITING, AT_WORK], queue_name=queue, limit=MOST_LISTED, load_input=False, load_output=False
    )
    return tuple(map(_unfinished, found))


async def half_started(version: str) -> tuple[Unfinished, ...]:
    """Tasks of other versions than this that were being started over by a process that died between the two halves.

    Nothing else here cancels a task; one that a person cancelled by the engine's own tools looks the same.
    """
    found = await DBOS.list_workflows_async(status=CANCELLED, limit=MOST_LISTED, load_input=False, load_output=False)
    return tuple(_unfinished(one) for one in found if one.app_version != version)


def _unfinished(one: WorkflowStatus) -> Unfinished:
    return Unfinished(
        key=one.workflow_id,
        lane=one.queue_partition_key or "",
        executor=one.executor_id or "",
        version=one.app_version or "",
        waiting=one.status != AT_WORK,
        asked_at_s=(one.created_at or 0) / 1000,
    )


async def touch(queue: str) -> None:
    """Read one row, so that it is known whether the engine's database answers."""
    await DBOS.list_workflows_async(queue_name=queue, limit=1, load_input=False, load_output=False)


def engine_runs() -> bool:
    """True while the engine's thread that watches over its queues lives (dbos 3.4 names it by its function)."""
    return any("queue_thread" in thread.name for thread in threading.enumerate())


async def give_back(executors: Sequence[str]) -> int:
    """Put what these processes were at work on, in our version, back into the queue; how many tasks that were.

    Each goes on at the step it was in.
    """
    handles = await asyncio.to_thread(DBOS._recover_pending_workflows, list(executors))
    return len(handles)


async def start_over(task: Unfinished, queue: str, version: str) -> None:
    """Have a task of another version done from its first step on: its kept steps may not be ours.

    Every effect is found before it is made, so what it did already is not done twice.
    """
    await DBOS.cancel_workflow_async(task.key)
    await DBOS.rewind_workflow_async(
        task.key, application_version=version, queue_name=queue, queue_partition_key=task.lane or None
    )
