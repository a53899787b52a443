"""Promises of the way into the queue, on the engine's own tables in a SQLite file."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.errors import RetryableError
from bot.store.database import connect
from bot.tasks.intake import Intake, Way
from bot.tasks.queue import QUEUE, DurableQueue, DurableSteps, JsonSerializer, QueueSettings
from bot.tasks.stepping import Json


def request(run: int, repository: int = 5) -> TaskRequest:
    return TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(repository), "zoo/otter", RunId(run), 1, "g1")


async def _never(_steps: DurableSteps, asked: TaskRequest) -> Json:
    raise AssertionError(f"{asked.key} was begun")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the engine's tables; nobody works on what is in it."""
    path = tmp_path_factory.mktemp("intake") / "queue.sqlite"

    async def make() -> None:
        queue = DurableQueue(QueueSettings(f"sqlite:///{path}", "host-1"), _never)
        await queue.start()
        await queue.stop()

    asyncio.run(make())
    return path


def let_in(path: Path, act: Callable[[Intake], Awaitable[None]], patience_s: float = 20.0) -> int:
    """Have an intake do something; how often it committed."""
    commits: list[object] = []

    async def inner() -> None:
        database = connect(f"sqlite:///{path}", busy_s=0)
        sa.event.listen(database.engine, "commit", commits.append)
        way_in = Intake(Way(database, QUEUE, "1"), JsonSerializer(), patience_s)
        try:
            await act(way_in)
        finally:
            way_in.close()

    asyncio.run(inner())
    return len(commits)


def keys(path: Path, repository: int) -> list[str]:
    """What is in the file by another connection: only what was committed."""
    asked = "SELECT workflow_uuid FROM workflow_status WHERE workflow_uuid LIKE ? ORDER BY 1"
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute(asked, (f"nightly:{repository}:%",))]


def test_a_request_is_committed_when_add_returns(tables: Path) -> None:
    async def act(way_in: Intake) -> None:
        await way_in.add(request(1, 1))
        assert keys(tables, 1) == ["nightly:1:1:1"]

    let_in(tables, act)


def test_a_burst_is_all_there_each_once_and_costs_few_commits(tables: Path) -> None:
    wanted = [request(100 + number, 2) for number in range(40)]

    async def act(way_in: Intake) -> None:
        await asyncio.gather(*(way_in.add(one) for one in [*wanted, *wanted]))

    assert let_in(tables, act) <= 2
    assert keys(tables, 2) == sorted(one.key for one in wanted)


def test_a_file_that_is_busy_is_waited_for(tables: Path) -> None:
    other = sqlite3.connect(tables, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.execute, ("ROLLBACK",))

    async def act(way_in: Intake) -> None:
        release.start()
        await way_in.add(request(1, 3))

    let_in(tables, act)
    release.join()
    other.close()
    assert keys(tables, 3) == ["nightly:3:1:1"]


def test_a_file_that_stays_busy_is_an_answer_and_nothing_is_half_in(tables: Path) -> None:
    other = sqlite3.connect(tables, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def act(way_in: Intake) -> None:
        told = await asyncio.gather(*(way_in.add(request(n, 4)) for n in range(3)), return_exceptions=True)
        assert [type(one) for one in told] == [RetryableError] * 3
        other.execute("ROLLBACK")
        await way_in.add(request(9, 4))

    let_in(tables, act, patience_s=0.05)
    other.close()
    assert keys(tables, 4) == ["nightly:4:9:1"]


def test_who_leaves_while_it_is_written_keeps_nobody_from_the_next(tables: Path) -> None:
    async def act(way_in: Intake) -> None:
        leaving = asyncio.create_task(way_in.add(request(1, 6)))
        await asyncio.sleep(0)
        leaving.cancel()
        await way_in.add(request(2, 6))

    let_in(tables, act)
    assert keys(tables, 6) == ["nightly:6:1:1", "nightly:6:2:1"]
