"""Several processes at one Postgres: they share the work, and what a killed one left is taken over at its last step."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from tests.waits import PATIENCE_S

NAMES = itertools.count()


def request(run: int, name: str = "zoo/otter", repository: int = 5) -> TaskRequest:
    return TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(repository), name, RunId(run), 1, "g1")


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@dataclass
class Lab:
    """A database of its own, and the processes at it."""

    url: str
    folder: Path
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def start(self, name: str, role: str = "worker", version: str = "1") -> None:
        arguments = [sys.executable, "-m", "tests.contract.queue_host", self.url, self.url, name, role, version]
        process = subprocess.Popen(
            [*arguments, str(self.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.processes[name] = process
        assert process.stdout
        assert process.stdout.readline() == "ready\n"

    def enqueue(self, name: str, asked: TaskRequest) -> None:
        process = self.processes[name]
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(asdict(asked)) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "enqueued\n"

    def kill(self, name: str) -> None:
        """SIGKILL: nothing is given back."""
        self.end(self.processes.pop(name))

    def end(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()

    @property
    def done(self) -> list[tuple[str, str, str]]:
        """(task, step, process) of every step that was begun."""
        path = self.folder / "done"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(task, step, name) for task, step, name in (line.split() for line in lines)]

    def of(self, asked: TaskRequest) -> list[tuple[str, str]]:
        return [(step, name) for task, step, name in self.done if task == asked.key]

    def ended(self, asked: TaskRequest) -> bool:
        query = "select status from dbos.workflow_status where workflow_uuid = %s"
        with psycopg.connect(self.url) as connection:
            row = connection.execute(query, (asked.key,)).fetchone()
        return row is not None and row[0] == "SUCCESS"


@pytest.fixture
def lab(postgres_url: str, tmp_path: Path) -> Iterator[Lab]:
    name = f"hosts_{os.getpid()}_{next(NAMES)}"
    admin = sa.create_engine(
        sa.make_url(postgres_url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    url = sa.make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    made = Lab(url, tmp_path)
    try:
        yield made
    finally:
        for process in made.processes.values():
            made.end(process)
        with admin.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
        admin.dispose()


def test_what_a_killed_host_left_is_taken_over_at_its_last_step(lab: Lab) -> None:
    held = request(1, "zoo/held")
    lab.start("one")
    lab.enqueue("one", held)
    until(lambda: lab.of(held) == [("one", "one"), ("two", "one")])
    lab.start("two")
    lab.kill("one")
    (lab.folder / "go").touch()
    until(lambda: lab.ended(held))
    assert lab.of(held) == [("one", "one"), ("two", "one"), ("two", "two"), ("three", "two")]


def test_a_process_that_only_receives_does_nothing_else_and_workers_share_the_work(lab: Lab) -> None:
    asked = [request(run, "zoo/held", repository=run) for run in range(1, 9)]
    lab.start("web", role="web")
    for one in asked:
        lab.enqueue("web", one)
    assert lab.done == []
    lab.start("a")
    until(lambda: len([one for one in lab.done if one[1] == "two"]) == 4)  # as many as one process takes on
    lab.start("b")
    until(lambda: len([one for one in lab.done if one[1] == "two"]) == 8)
    (lab.folder / "go").touch()
    until(lambda: all(lab.ended(one) for one in asked))
    assert {name for _, _, name in lab.done} == {"a", "b"}
    assert sorted(step for _, step, _ in lab.done) == sorted(["one", "two", "three"] * 8)


def test_tasks_of_one_repository_go_one_at_a_time_across_hosts(lab: Lab) -> None:
    first, second, other = request(1, "zoo/held"), request(2), request(3, "zoo/lynx", repository=6)
    lab.start("web", role="web")
    lab.start("a")
    lab.enqueue("web", first)
    until(lambda: len(lab.of(first)) == 2)
    lab.start("b")
    lab.enqueue("web", second)
    lab.enqueue("web", other)
    until(lambda: lab.ended(other))
    assert lab.of(second) == []
    (lab.folder / "go").touch()
    until(lambda: lab.ended(second))
    assert lab.of(first)[-1][0] == "three"
    assert lab.done.index((first.key, "three", "a")) < lab.done.index((second.key, *lab.of(second)[0]))


def test_a_new_version_starts_over_what_an_old_one_left_and_what_still_waits(lab: Lab) -> None:
    held, waits = request(1, "zoo/held"), request(2)
    lab.start("one", version="1")
    lab.enqueue("one", held)
    lab.enqueue("one", waits)  # of the same repository: it waits for the first
    until(lambda: len(lab.of(held)) == 2)
    lab.kill("one")
    (lab.folder / "go").touch()
    lab.start("one", version="2")  # the same host, upgraded
    until(lambda: lab.ended(held) and lab.ended(waits))
    assert [step for step, _ in lab.of(held)] == ["one", "two", "first", "second", "third"]
    assert [step for step, _ in lab.of(waits)] == ["first", "second", "third"]


def test_a_living_old_version_keeps_what_it_is_at_work_on(lab: Lab) -> None:
    held = request(1, "zoo/held")
    lab.start("old", version="1")
    lab.enqueue("old", held)
    until(lambda: len(lab.of(held)) == 2)
    lab.start("new", version="2")
    later = request(2, "zoo/lynx", repository=6)
    lab.enqueue("new", later)
    until(lambda: lab.ended(later))
    (lab.folder / "go").touch()
    until(lambda: lab.ended(held))
    assert {name for _, name in lab.of(held)} == {"old"}
    assert {name for _, name in lab.of(later)} == {"new"}
