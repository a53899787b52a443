"""The service as a process that is killed at a step it takes or a delivery it notes; started by `process.py`.

`python -m tests.chaos.child PLAN` imports everything, then becomes `recalibrate serve` by a fork each
time a line says so. The service looks into the file PLAN before and after each step, and at each
delivery, and kills itself where the plan says so. Costly pure work is done on threads, so that a
start takes no seconds; otherwise what is served is the program as it is: nothing of this is in it.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dbos import DBOS

from bot.app import working
from bot.cli.serve import serve
from bot.domain import TaskRequest
from bot.settings import server_settings
from bot.store.deliveries import Deliveries
from bot.tasks import steps
from bot.tasks.queue import DurableQueue

Step = Callable[..., Awaitable[Any]]
LOADED = steps.evaluate  # what the work of a step needs is imported before the first fork


class Plan:
    """A line `TASK-KEY NUMBER MOMENT`, or none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: Counter[str] = Counter()

    def count(self, key: str) -> int:
        """The number of the step that a task is about to take in this process, from 1."""
        self._taken[key] += 1
        return self._taken[key]

    def reach(self, key: str, number: int, moment: str) -> None:
        """Die here, where the plan says so."""
        if self._path.is_file() and self._path.read_text() == f"{key} {number} {moment}":
            os.kill(os.getpid(), signal.SIGKILL)


class Threads(ThreadPoolExecutor):
    """Stands for `bot.tasks.processes.Processes`."""

    def warm(self) -> None:
        """Nothing to wait for."""


def main(plan: Plan) -> None:
    """Serve until killed."""
    take: Step = DBOS.run_step_async

    async def step(options: Any, work: Step, *arguments: Any) -> Any:
        key = DBOS.workflow_id or ""
        number = plan.count(key)
        plan.reach(key, number, "before")

        async def done(*given: Any) -> Any:
            result = await work(*given)
            plan.reach(key, number, "done")
            return result

        result = await take(options, done, *arguments)
        plan.reach(key, number, "kept")
        return result

    enqueue, note = DurableQueue.enqueue, Deliveries.note

    async def enqueued(queue: DurableQueue, request: TaskRequest) -> None:
        plan.reach(request.key, 0, "before")
        await enqueue(queue, request)
        plan.reach(request.key, 0, "enqueued")

    def noted(deliveries: Deliveries, guid: str, event: str, verdict: str, **more: Any) -> bool:
        first = note(deliveries, guid, event, verdict, **more)
        plan.reach(verdict, 0, "noted")
        return first

    DBOS.run_step_async = step  # type: ignore[method-assign, assignment]
    DurableQueue.enqueue = enqueued  # type: ignore[method-assign]
    Deliveries.note = noted  # type: ignore[method-assign]
    working.Processes = Threads  # type: ignore[misc, assignment]
    asyncio.run(serve(server_settings(os.environ), lambda address: print(address, flush=True)))


def end_with_parent() -> None:
    """Whoever writes the lines is gone: so is the service."""
    lines = select.poll()
    lines.register(0, select.POLLHUP)
    lines.poll()
    os.kill(os.getpid(), signal.SIGKILL)


def fork_on_demand(plan: Path) -> None:
    """For each line that comes in: one service, and a word when it is gone."""
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            threading.Thread(target=end_with_parent, daemon=True).start()
            print(os.getpid(), flush=True)
            main(Plan(plan))
            os._exit(0)
        os.waitpid(pid, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    fork_on_demand(Path(sys.argv[1]))
