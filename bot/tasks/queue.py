"""The durable queue: task requests in, one workflow each, at most one at a time per repository.

One of the modules that import the durable engine (dbos). What it
stores is JSON, never pickles. `application_version` is fixed, so that a new release goes on with
the tasks of the old one: kept steps are found by their place. Raise `PIPELINE_VERSION` when a step
is added, removed, renamed or moved, or its kept value needs a field that older ones lack (a test
holds the code to what is recorded of the version). Tasks of another version are left to the living
processes that have it, and started over when there are none: `bot.tasks.hosts`.

dbos facts used here (3.4): the queue's dequeue admits one runner; `partition_concurrency` bounds
a partition across all executors; a workflow id in use is attached to, not run again.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from dbos import DBOS, DBOSConfig, Serializer, WorkflowHandleAsync

from bot.domain import HostRepository, PersonsComment, RepositoryId, TaskKind, TaskRequest
from bot.errors import InternalError, UserError
from bot.logs.context import about
from bot.records.work import ProcessRole
from bot.store.database import connect
from bot.tasks import left_behind, queue_file
from bot.tasks.durable_steps import DurableSteps
from bot.tasks.forgetting import forget_tasks
from bot.tasks.intake import WORKFLOW, Intake, Way
from bot.tasks.left_behind import Unfinished
from bot.tasks.stepping import PATIENT, Json, Patience, Tried, untold
from bot.tasks.underway import Underway

QUEUE = "tasks"
PIPELINE_VERSION = "4"
POLL_S = 0.2
PROGRAM = "recalibrate"

log = logging.getLogger(__name__)

Perform = Callable[[DurableSteps, TaskRequest], Awaitable[Json]]


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """`database_url` as SQLAlchemy writes it; `executor_id` stable for a host across restarts."""

    database_url: str
    executor_id: str
    workers: int = 4  # tasks at work in this process at one time
    patience: Patience = PATIENT
    role: ProcessRole = ProcessRole.ALL
    version: str = PIPELINE_VERSION
    tried: Tried = untold  # told how each try of a step ends


class JsonSerializer(Serializer):
    """Rows of the engine as JSON. An exception is kept as its type's name and its text."""

    def serialize(self, data: Any) -> str:
        """JSON text of `data`."""
        if isinstance(data, BaseException):
            data = {"$error": [type(data).__name__, str(data)]}
        return json.dumps(data)

    def deserialize(self, serialized_data: str) -> Any:
        """What `serialize` was given; an exception comes back as a RuntimeError with its text."""
        data = json.loads(serialized_data)
        if isinstance(data, dict) and "$error" in data:
            return RuntimeError(": ".join(data["$error"]))
        return data

    def name(self) -> str:
        """What the engine notes beside each value."""
        return "recalibrate_json"


def _launch() -> None:
    """Start the engine.

    Raises:
        UserError: its database cannot be used, in the database's own words.
    """
    try:
        DBOS.launch()
    except Exception as error:
        cause = getattr(error, "orig", None)  # where SQLAlchemy keeps what the database said
        if cause is None:
            raise
        said = (str(cause).strip().splitlines() or [type(cause).__name__])[0]  # below it are hints
        raise UserError(f"the tasks' database cannot be used: {said}") from error


def about_task(request: TaskRequest) -> AbstractContextManager[None]:
    """Log lines are about this task until the end of the block."""
    return about(
        delivery=request.delivery,
        task=request.key,
        repository=request.repository,
        run=request.run_id,
        attempt=request.attempt,
    )


def request_from_json(data: dict[str, Any]) -> TaskRequest:
    """The request that `asdict` wrote, now or in an earlier release: a field it did not know has its default."""
    comment = PersonsComment(**data["comment"]) if data.get("comment") else None
    host = HostRepository(**data["host"]) if data.get("host") else None
    return TaskRequest(**{**data, "kind": TaskKind(data["kind"]), "comment": comment, "host": host})


class DurableQueue:
    """Starts the engine and takes task requests. One a process: the engine is a singleton."""

    def __init__(self, settings: QueueSettings, perform: Perform) -> None:
        config: DBOSConfig = {
            "name": PROGRAM,
            "system_database_url": settings.database_url,
            "serializer": JsonSerializer(),
            "application_version": settings.version,
            "executor_id": settings.executor_id,
            "log_level": "WARNING",
            "enable_otlp": False,
            "use_listen_notify": False,
        }
        DBOS(config=config)
        if settings.role is ProcessRole.WEB:
            DBOS.listen_queues([])
        self._settings = settings
        self._underway = Underway()
        self._home: asyncio.AbstractEventLoop | None = None
        self._stopped = False
        self._intake: Intake | None = None

        async def task(data: dict[str, Any]) -> Json:
            if self._home is None:
                raise RuntimeError("the queue was not started")
            request = request_from_json(data)
            with about_task(request):
                return await perform(
                    DurableSteps(self._home, settings.patience, self._underway, settings.tried), request
                )

        DBOS.workflow(name=WORKFLOW)(task)

    async def start(self) -> None:
        """Launch the engine and go on with what an earlier process of this executor left."""
        self._home = asyncio.get_running_loop()
        await asyncio.to_thread(queue_file.prepare, self._settings.database_url)
        # before the engine opens it: to open and close the file later would drop this process's locks on it, and
        # another process could take away the write-ahead log (https://sqlite.org/howtocorrupt.html, 2.2)
        database = connect(self._settings.database_url, busy_s=0)
        await asyncio.to_thread(_launch)
        await asyncio.to_thread(
            lambda: DBOS.register_queue(
                QUEUE,
                worker_concurrency=self._settings.workers,
                partition_concurrency=1,
                polling_interval_sec=POLL_S,
                on_conflict="always_update",
            )
        )
        self._intake = Intake(Way(database, QUEUE, self.version), JsonSerializer())

    async def stop(self, within_s: float = 0.0) -> None:
        """Stop taking tasks; those at work are gone on with at the next start. A second time does nothing.

        Steps at work have `within_s` seconds to end; none is begun. The engine (dbos 3.4) makes its thread
        pool the loop's own, and closes it here: no `to_thread` after this.
        """
        if self._stopped:
            return
        self._stopped = True
        if not await asyncio.to_thread(self._underway.close, within_s):
            log.warning("steps left at work", extra={"waited_s": within_s})
        if self._intake is not None:
            await asyncio.to_thread(self._intake.close)
        await asyncio.to_thread(DBOS.destroy)

    @property
    def version(self) -> str:
        """The version whose kept steps this process can go on with."""
        return self._settings.version

    async def answers(self) -> None:
        """Ask the tasks' database for one task; raises what the engine raises where it does not answer."""
        await left_behind.touch(QUEUE)

    async def runs(self) -> None:
        """Raises InternalError where the engine takes no tasks: it was not started, or was stopped."""
        if not left_behind.engine_runs():
            raise InternalError("the queue does not run")

    async def unfinished(self) -> tuple[Unfinished, ...]:
        """The oldest tasks that have not ended."""
        return await left_behind.unfinished(QUEUE)

    async def half_started(self) -> tuple[Unfinished, ...]:
        """Tasks of other versions whose starting over was cut off."""
        return await left_behind.half_started(self._settings.version)

    async def give_back(self, executors: Sequence[str]) -> int:
        """Put what these processes were at work on back into the queue."""
        return await left_behind.give_back(executors)

    async def start_over(self, task: Unfinished) -> None:
        """Have a task of another version done from its first step on."""
        await left_behind.start_over(task, QUEUE, self._settings.version)

    async def enqueue(self, request: TaskRequest) -> None:
        """Add a request durably; one whose key is known already is not added again."""
        if self._intake is None:
            raise InternalError("the queue was not started")
        await self._intake.add(request)

    async def ask(self, request: TaskRequest) -> None:
        """The same from within a task: the new one stands on its own, it is no part of the asking one."""
        await self.enqueue(request)

    async def forget(self, repository_id: RepositoryId) -> int:
        """Delete every task about a repository, from within another task; how many."""
        work = forget_tasks(QUEUE, repository_id)
        return await asyncio.get_running_loop().create_task(work, context=Context())

    async def result(self, key: str) -> Json:
        """Wait for a task's result, by its `take_id`, for a command or a test that follows one task."""
        handle: WorkflowHandleAsync[Json] = await DBOS.retrieve_workflow_async(key)
        return await handle.get_result(polling_interval_sec=POLL_S)
