"""How task requests get into the durable engine's database: many with one commit, each durable when `add` returns.

Requests that come while others are being written wait together and share the next transaction, so
that a burst costs a few flushes of the disk and not one each. Where a SQLite file is busy it is
asked again after two milliseconds: SQLite's own waiting, on which the engine (dbos 3.4) relies,
soon sleeps a tenth of a second between looks. What becomes of a request is not decided here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from dbos import DBOSClient, Serializer

from bot.domain import TaskRequest
from bot.errors import RetryableError
from bot.store.database import Database

MOST_AT_ONCE = 100
LOOK_AGAIN_S, GROWTH, LONGEST_WAIT_S = 0.002, 1.2, 0.1
PATIENCE_S = 8.0  # GitHub waits ten for its answer
WORKFLOW = "task"

Waiting = tuple[TaskRequest, asyncio.Future[None]]


@dataclass(frozen=True, slots=True)
class Way:
    """Where requests go: the engine's database, opened so that it does not wait by itself, and a queue in it."""

    database: Database
    queue: str
    version: str  # of the pipeline that is to do them


class Intake:
    """The way in. Its methods belong to one event loop; the writing is done on a thread of its own."""

    def __init__(self, way: Way, serializer: Serializer, patience_s: float = PATIENCE_S) -> None:
        self._way = way
        self._client = DBOSClient(system_database_engine=way.database.engine, serializer=serializer, lazy=True)
        self._patience_s = patience_s
        self._thread = ThreadPoolExecutor(1, "intake")
        self._waiting: list[Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, request: TaskRequest) -> None:
        """Add a request durably; one whose key is known already is not added again.

        Raises what the database raises; the request is then not there.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.append((request, done))
        if self._writing is None or self._writing.done():
            self._writing = loop.create_task(self._write_all())
        await done

    def close(self) -> None:
        """Give the connection back. What is being written is written first."""
        self._thread.shutdown()
        self._client.destroy()
        self._way.database.close()

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            try:
                failed = await loop.run_in_executor(self._thread, self._written, [request for request, _ in batch])
            except Exception as error:  # the thread is gone: nobody may wait for ever
                failed = dict.fromkeys(range(len(batch)), error)
            for number, (_, done) in enumerate(batch):
                _settle(done, failed.get(number))

    def _written(self, requests: Sequence[TaskRequest]) -> dict[int, Exception]:
        """Write all with one commit, or where that fails each with its own; the errors by position."""
        try:
            self._commit(requests)
        except Exception as error:
            if len(requests) == 1:
                return {0: error}
            alone = [self._written([request]) for request in requests]
            return {number: found[0] for number, found in enumerate(alone) if found}
        return {}

    def _commit(self, requests: Sequence[TaskRequest]) -> None:
        """Raises RetryableError where the database stays busy or is away."""
        until, wait_s = time.monotonic() + self._patience_s, LOOK_AGAIN_S
        while True:
            try:
                self._insert(requests)
            except RetryableError:
                if time.monotonic() > until:
                    raise
                time.sleep(wait_s)
                wait_s = min(wait_s * GROWTH, LONGEST_WAIT_S)
            else:
                return

    def _insert(self, requests: Sequence[TaskRequest]) -> None:
        with self._way.database.write() as connection:
            for request in requests:
                self._client.enqueue_in_transaction(
                    connection,
                    {
                        "queue_name": self._way.queue,
                        "workflow_name": WORKFLOW,
                        "workflow_id": request.take_id,
                        "app_version": self._way.version,
                        "queue_partition_key": request.lane,
                    },
                    asdict(request),
                )


def _settle(done: asyncio.Future[None], error: Exception | None) -> None:
    if done.cancelled():  # who waited has gone; the request is in all the same
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
