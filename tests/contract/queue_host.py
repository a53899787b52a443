"""A process of its own for tests of several hosts: a real queue whose tasks note what they do in a folder.

Not a test. A task takes three steps; the second one of a task whose repository is called `*/held` waits
for the file `go`, so that a test can end the process at that very moment.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

from bot.domain import TaskRequest
from bot.records.work import Host, ProcessRole
from bot.store.open import Store
from bot.tasks.durable_steps import DurableSteps
from bot.tasks.hosts import Caretaker, Watch, forever
from bot.tasks.queue import DurableQueue, QueueSettings, request_from_json
from bot.tasks.stepping import Json

BEAT_S, SILENT_S = 0.2, 1.5


async def host(url: str, store_url: str, me: Host, folder: Path) -> None:
    async def perform(steps: DurableSteps, request: TaskRequest) -> Json:
        async def note(step: str) -> Json:
            with (folder / "done").open("a") as out:
                out.write(f"{request.key} {step} {me.executor_id}\n")
            while step == "two" and request.repository.endswith("/held") and not (folder / "go").exists():  # noqa: ASYNC110 - another process makes it
                await asyncio.sleep(0.02)
            return step

        names = ["one", "two", "three"] if me.version == "1" else ["first", "second", "third"]
        taken = [await steps.take(name, partial(note, name)) for name in names]
        return {"steps": taken, "host": me.executor_id}

    store = Store.open(store_url)
    queue = DurableQueue(QueueSettings(url, me.executor_id, role=me.role, version=me.version), perform)
    caretaker = Caretaker(me, store.hosts, queue, Watch(SILENT_S))
    await caretaker.beat()
    await queue.start()
    chores = [caretaker.beat, caretaker.look] if me.works else [caretaker.beat]
    beating = [asyncio.create_task(forever(chore, BEAT_S)) for chore in chores]
    print("ready", flush=True)
    try:
        async for request in _asked():
            await queue.enqueue(request)
            print("enqueued", flush=True)
    finally:
        for one in beating:
            one.cancel()
        await queue.stop()
        store.close()


async def _asked() -> AsyncIterator[TaskRequest]:
    """Requests from standard input, one JSON a line, until it ends."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield request_from_json(json.loads(line))


if __name__ == "__main__":
    _, url, store_url, name, role, version, folder = sys.argv
    asyncio.run(host(url, store_url, Host(name, ProcessRole(role), version), Path(folder)))
