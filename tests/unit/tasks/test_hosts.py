"""Promises about who takes over what: numbers that stand still, versions that nobody has any more."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field

from bot.records.work import Host, ProcessRole
from bot.tasks.hosts import VIGIL, Caretaker, Watch, inheritance
from bot.tasks.left_behind import Unfinished

ME = Host("me", ProcessRole.WORKER, "1")


def task(key: str, executor: str, version: str = "1", *, waiting: bool = False) -> Unfinished:
    return Unfinished(key, "repository:5", executor, version, waiting)


def test_a_number_that_stands_still_long_enough_is_silent_and_one_that_rises_is_not() -> None:
    watch = Watch(silent_s=60.0)
    assert watch.look({"a": 1, "b": 1}, 0.0) == frozenset()
    assert watch.look({"a": 1, "b": 2}, 59.9) == frozenset()
    assert watch.look({"a": 1, "b": 2}, 60.0) == {"a"}
    assert watch.look({"a": 2, "b": 2}, 61.0) == frozenset()
    assert watch.look({"a": 2, "b": 2}, 119.9) == {"b"}


def test_one_that_went_away_and_came_back_is_watched_anew() -> None:
    watch = Watch(silent_s=60.0)
    watch.look({"a": 1}, 0.0)
    watch.look({}, 30.0)
    assert watch.look({"a": 1}, 70.0) == frozenset()
    assert watch.look({"a": 1}, 130.0) == {"a"}


def test_tasks_of_a_silent_process_are_gone_on_with_and_those_of_a_living_one_are_not() -> None:
    hosts = [Host("gone", ProcessRole.WORKER, "1"), Host("alive", ProcessRole.WORKER, "1")]
    left = inheritance([task("a", "gone"), task("b", "alive"), task("c", "me")], hosts, frozenset({"gone"}), ME)
    assert left.executors == ("gone",)
    assert left.over == ()


def test_a_task_at_work_in_another_version_is_started_over_once_nobody_living_has_it() -> None:
    old, held = Host("old", ProcessRole.WORKER, "0"), task("a", "old", "0")
    assert inheritance([held], [old], frozenset(), ME).over == ()
    assert inheritance([held], [old], frozenset({"old"}), ME).over == (held,)
    assert inheritance([held], [old], frozenset({"old"}), ME).executors == ()
    mine = task("b", "me", "0")  # this host was upgraded
    assert inheritance([mine], [], frozenset(), ME).over == (mine,)


def test_a_waiting_task_of_another_version_is_left_to_a_worker_that_has_it_and_not_to_a_receiver() -> None:
    waits = task("a", "web", "0", waiting=True)
    assert inheritance([waits], [Host("old", ProcessRole.WORKER, "0")], frozenset(), ME).over == ()
    assert inheritance([waits], [Host("old", ProcessRole.WEB, "0")], frozenset(), ME).over == (waits,)


@dataclass
class Book:
    """The book of processes, and the queue, in memory."""

    hosts: dict[str, Host]
    tasks: list[Unfinished]
    given: list[str] = field(default_factory=list)
    version: str = "1"

    def beat(self, host: Host) -> None:
        self.hosts[host.executor_id] = host

    def every(self) -> tuple[Host, ...]:
        return tuple(self.hosts.values())

    def forget(self, executor_id: str, beats: int) -> None:
        if self.hosts[executor_id].beats == beats:
            del self.hosts[executor_id]

    async def unfinished(self) -> tuple[Unfinished, ...]:
        return tuple(self.tasks)

    async def half_started(self) -> tuple[Unfinished, ...]:
        return ()

    async def give_back(self, executors: object) -> int:
        self.given += list(executors)  # type: ignore[call-overload]
        return len(self.given)

    async def start_over(self, task: Unfinished) -> None:
        self.given.append(task.key)


def test_a_process_that_is_in_no_book_is_taken_over_too_and_a_forgotten_one_is_gone_from_it() -> None:
    book = Book({"gone": Host("gone", ProcessRole.WORKER, "1", 7)}, [task("a", "unheard")])
    times = iter([0.0, 60.0, 61.0])
    caretaker = Caretaker(ME, book, book, Watch(60.0), lambda: next(times))

    async def looked() -> list[tuple[str, ...]]:
        await caretaker.beat()
        return [(await caretaker.look()).executors for _ in range(3)]

    assert asyncio.run(looked()) == [(), ("unheard",), ("unheard",)]
    assert book.given == ["unheard", "unheard"]  # the engine gives a task back once
    assert list(book.hosts) == ["me"]


def test_what_a_killed_process_was_at_work_on_is_taken_over_within_two_minutes() -> None:
    """The worst case: it beats just before a look, and is killed just after that beat."""
    book = Book({"gone": Host("gone", ProcessRole.WORKER, "1", 7)}, [task("a", "gone")])
    looks = itertools.count(0.0, VIGIL.beat_s)
    caretaker = Caretaker(ME, book, book, Watch(), lambda: next(looks))

    async def taken_over_s() -> float:
        for seen in itertools.count(0.0, VIGIL.beat_s):
            if (await caretaker.look()).executors:
                return VIGIL.beat_s + seen  # the first look may come as long after the kill
        return 0.0

    assert 0 < asyncio.run(taken_over_s()) <= 120
