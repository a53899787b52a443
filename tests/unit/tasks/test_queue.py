"""Promises of the durable queue, on the real engine and a SQLite file."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from dbos import DBOS

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.errors import RetryableError, UserError
from bot.records.work import Host, ProcessRole
from bot.tasks.durable_steps import DurableSteps
from bot.tasks.hosts import Caretaker
from bot.tasks.queue import DurableQueue, JsonSerializer, Perform, QueueSettings, request_from_json
from bot.tasks.stepping import PATIENT, Json, ParkedError, Patience
from tests.waits import PATIENCE_S

HOST = QueueSettings("", "host-1")


def request(run: int = 77, repository: int = 5) -> TaskRequest:
    return TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(repository), "zoo/otter", RunId(run), 1, "g1")


def served(
    folder: Path,
    perform: Perform,
    act: Callable[[DurableQueue], Awaitable[Json]],
    patience: Patience = PATIENT,
    settings: QueueSettings = HOST,
) -> Json:
    async def inner() -> Json:
        url = f"sqlite:///{folder / 'queue.sqlite'}"
        queue = DurableQueue(replace(settings, database_url=url, patience=patience), perform)
        await queue.start()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await act(queue)
        finally:
            await queue.stop()

    return asyncio.run(inner())


def test_a_request_asked_for_again_is_the_same_work(tmp_path: Path) -> None:
    done: list[str] = []

    async def perform(steps: DurableSteps, asked: TaskRequest) -> Json:
        async def work() -> Json:
            done.append(asked.key)
            return len(done)

        return await steps.take("work", work)

    async def act(queue: DurableQueue) -> Json:
        await queue.enqueue(request())
        await queue.enqueue(request())
        await queue.enqueue(request(78))
        return [await queue.result(request().key), await queue.result(request(78).key)]

    assert served(tmp_path, perform, act) == [1, 2]
    assert served(tmp_path, perform, act) == [1, 2]  # a later process finds both done
    assert done == [request().key, request(78).key]


def test_tasks_of_one_repository_go_one_at_a_time_and_others_beside_them(tmp_path: Path) -> None:
    at_work: set[str] = set()
    most: dict[str, int] = {}
    both = threading.Event()

    async def perform(_steps: DurableSteps, asked: TaskRequest) -> Json:
        at_work.add(asked.key)
        for lane in {key.split(":")[1] for key in at_work}:
            most[lane] = max(most.get(lane, 0), sum(f":{lane}:" in key for key in at_work))
        if len({key.split(":")[1] for key in at_work}) == 2:
            both.set()
        await asyncio.to_thread(both.wait, 20)
        at_work.discard(asked.key)
        return None

    async def act(queue: DurableQueue) -> Json:
        requests = [request(1, 5), request(2, 5), request(3, 6)]
        for one in requests:
            await queue.enqueue(one)
        for one in requests:
            await queue.result(one.key)
        return None

    served(tmp_path, perform, act)
    assert most == {"5": 1, "6": 1}


def test_a_busy_server_is_asked_again_and_a_refusal_is_told(tmp_path: Path) -> None:
    tries: list[int] = []

    async def perform(steps: DurableSteps, _asked: TaskRequest) -> Json:
        async def busy() -> Json:
            tries.append(1)
            if len(tries) < 3:
                raise RetryableError("busy", 0.01)
            return "answer"

        async def refused() -> Json:
            raise UserError("contents: write is missing")

        got = await steps.take("ask", busy)
        try:
            await steps.take("publish", refused)
        except UserError as error:
            return [got, str(error)]
        return None

    async def act(queue: DurableQueue) -> Json:
        await queue.enqueue(request())
        return await queue.result(request().key)

    assert served(tmp_path, perform, act) == ["answer", "contents: write is missing"]


@pytest.mark.parametrize(
    ("asked_s", "took_s", "most"),
    [(None, 0.0, 4), (3600.0, 0.0, 1), (0.0, 0.2, 2)],
    ids=["waits that double", "a long wait that is asked for", "tries that take long"],
)
def test_a_step_holds_its_lane_for_a_bounded_time(
    tmp_path: Path, asked_s: float | None, took_s: float, most: int
) -> None:
    tries: list[int] = []

    async def perform(steps: DurableSteps, asked: TaskRequest) -> Json:
        async def busy() -> Json:
            tries.append(1)
            await asyncio.sleep(took_s)
            raise RetryableError("busy", asked_s)

        if asked.run_id == 78:
            return "next in the lane"
        try:
            return await steps.take("ask", busy)
        except ParkedError as error:
            return [error.step, str(error), error.after_s]

    async def act(queue: DurableQueue) -> Json:
        await queue.enqueue(request(77))
        await queue.enqueue(request(78))
        return [await queue.result(request(78).key), await queue.result(request(77).key)]

    patience = Patience(first_s=0.05, lane_s=0.3, tries=100)  # 0.05 + 0.1 + 0.2
    assert served(tmp_path, perform, act, patience) == ["next in the lane", ["ask", "step ask: busy", asked_s]]
    assert 1 <= len(tries) <= most


def test_the_end_of_a_task_is_tried_again_although_its_lane_was_held_for_long_enough(tmp_path: Path) -> None:
    tries: list[int] = []

    async def perform(steps: DurableSteps, _asked: TaskRequest) -> Json:
        async def busy() -> Json:
            raise RetryableError("busy", 3600.0)

        async def conclude() -> Json:
            tries.append(1)
            if len(tries) < 4:
                raise RetryableError("the store is busy")
            return "kept"

        with pytest.raises(ParkedError):
            await steps.take("ask", busy)
        return await steps.at_the_end().take("conclude", conclude)

    async def act(queue: DurableQueue) -> Json:
        await queue.enqueue(request())
        return await queue.result(request().key)

    assert served(tmp_path, perform, act, Patience(first_s=0.01, lane_s=0.02)) == "kept"


def test_another_take_of_the_same_work_is_a_task_of_its_own(tmp_path: Path) -> None:
    async def perform(_steps: DurableSteps, asked: TaskRequest) -> Json:
        return [asked.key, asked.again]

    async def act(queue: DurableQueue) -> Json:
        again = replace(request(), again=1)
        for one in (request(), again, again):
            await queue.enqueue(one)
        return [await queue.result(request().take_id), await queue.result(again.take_id)]

    assert served(tmp_path, perform, act) == [[request().key, 0], [request().key, 1]]


def test_a_task_whose_starting_over_was_cut_off_in_the_middle_is_started_over_by_whoever_looks_next(
    tmp_path: Path,
) -> None:
    async def perform(_steps: DurableSteps, asked: TaskRequest) -> Json:
        return asked.key

    async def cut_off(queue: DurableQueue) -> Json:
        await queue.enqueue(request())
        await DBOS.cancel_workflow_async(request().key)  # the first half; here the process dies
        return None

    async def act(queue: DurableQueue) -> Json:
        me = Host("host-1", ProcessRole.ALL, queue.version)
        caretaker = Caretaker(me, Alone(), queue)
        await caretaker.look()
        done = await queue.result(request().key)
        return [done, len(await queue.half_started())]

    served(tmp_path, perform, cut_off, settings=replace(HOST, role=ProcessRole.WEB, version="1"))
    assert served(tmp_path, perform, act, settings=replace(HOST, version="2")) == [request().key, 0]


class Alone:
    """A book of processes with no other in it."""

    def beat(self, host: Host) -> None: ...

    def every(self) -> tuple[Host, ...]:
        return ()

    def forget(self, executor_id: str, beats: int) -> None: ...


def test_rows_of_the_engine_are_json(tmp_path: Path) -> None:
    async def perform(steps: DurableSteps, _asked: TaskRequest) -> Json:
        async def work() -> Json:
            return {"a": [1, None]}

        return await steps.take("work", work)

    async def act(queue: DurableQueue) -> Json:
        await queue.enqueue(request())
        return await queue.result(request().key)

    served(tmp_path, perform, act)
    with sqlite3.connect(tmp_path / "queue.sqlite") as database:
        kept = [
            *database.execute("select inputs from workflow_input"),
            *database.execute("select output from workflow_output"),
            *database.execute("select output from operation_outputs"),
        ]
    database.close()
    assert kept
    assert all(value is None or json.loads(value) is not ... for (value,) in kept)


def test_requests_survive_json() -> None:
    serializer = JsonSerializer()
    assert request_from_json(serializer.deserialize(serializer.serialize(asdict(request())))) == request()
    assert "boom" in str(serializer.deserialize(serializer.serialize(ValueError("boom"))))


def test_another_process_that_looks_into_the_file_leaves_the_queue_whole(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    look = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM queues').fetchall(); c.close()"
    )

    async def perform(_steps: DurableSteps, asked: TaskRequest) -> Json:
        return asked.key

    async def act(queue: DurableQueue) -> Json:
        for run in (1, 2):
            await queue.enqueue(request(run))
            await queue.result(request(run).key)
            await asyncio.to_thread(subprocess.run, [sys.executable, "-c", look, str(path)], check=True)
            assert path.with_name("queue.sqlite-wal").exists()  # the last one to close the file takes it away
        return None

    served(tmp_path, perform, act)
