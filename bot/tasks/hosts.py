"""Several processes at one queue: each says that it is alive, and takes over what a silent one left.

Every process raises a number in the store; one whose number did not rise for a while, by the
watcher's own clock, is gone. So clocks of hosts need not agree. A process that was only slow may
come back while another one goes on with its task: steps may run twice, and their effects are one.
What the engine does with a task is `bot.tasks.left_behind`'s part.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.records.work import Host
from bot.tasks.left_behind import Unfinished

MOST_FAILURES = 4  # looks in a row that fail before it is an error in the log

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Vigil:
    """Seconds between two beats, and two looks, of a process; and how long a number stands still that is gone.

    With one beat before and one look after it a task is taken over within two minutes.
    """

    beat_s: float = 15.0
    silent_s: float = 60.0


VIGIL = Vigil()


class HostBook(Protocol):
    """Where processes say that they are alive. Fulfilled by `bot.store.hosts.Hosts`."""

    def beat(self, host: Host) -> None:
        """Raise a process's number; a new or restarted one is noted as it is now."""
        ...

    def every(self) -> tuple[Host, ...]:
        """All that are noted."""
        ...

    def forget(self, executor_id: str, beats: int) -> None:
        """Take a process away whose number has not risen since."""
        ...


class Tasks(Protocol):
    """The queue as a caretaker sees it. Fulfilled by `bot.tasks.queue.DurableQueue`."""

    @property
    def version(self) -> str:
        """The version whose kept steps this process can go on with."""
        ...

    async def unfinished(self) -> tuple[Unfinished, ...]:
        """Tasks that have not ended."""
        ...

    async def half_started(self) -> tuple[Unfinished, ...]:
        """Tasks of other versions whose starting over was cut off."""
        ...

    async def give_back(self, executors: Sequence[str]) -> int:
        """Put what these processes were at work on back into the queue."""
        ...

    async def start_over(self, task: Unfinished) -> None:
        """Have a task of another version done from its first step on."""
        ...


@dataclass(slots=True)
class Watch:
    """Tells which processes are silent, from what it sees of their numbers. Times by one monotonic clock, in s."""

    silent_s: float = VIGIL.silent_s
    _seen: dict[str, tuple[int, float]] = field(default_factory=dict)

    def look(self, beats: Mapping[str, int], at: float) -> frozenset[str]:
        """Note the numbers seen at a moment; the processes whose number has stood still for long enough."""
        for name, number in beats.items():
            if self._seen.get(name, (None, 0.0))[0] != number:
                self._seen[name] = (number, at)
        self._seen = {name: self._seen[name] for name in beats}
        return frozenset(name for name, (_, since) in self._seen.items() if at - since >= self.silent_s)


@dataclass(frozen=True, slots=True)
class Inheritance:
    """What is to be taken over: tasks to go on with, by the process that held them, and tasks to start over."""

    executors: tuple[str, ...]
    over: tuple[Unfinished, ...]


def inheritance(tasks: Sequence[Unfinished], hosts: Sequence[Host], silent: frozenset[str], me: Host) -> Inheritance:
    """What a process may take over from silent ones, and from versions that no living process has.

    A process that holds tasks and is not noted at all is silent too, once it was watched for long enough.
    """
    living = {host.executor_id: host.version for host in hosts if host.executor_id not in silent}
    living[me.executor_id] = me.version
    works = {host.version for host in hosts if host.works and host.executor_id in living} | {me.version}
    held = [task for task in tasks if not task.waiting and task.executor in silent]
    stale = [task for task in tasks if task.version != me.version]
    return Inheritance(
        executors=tuple(sorted({task.executor for task in held if task.version == me.version} - {me.executor_id})),
        over=tuple(task for task in stale if _left(task, living, works)),
    )


def _left(task: Unfinished, living: Mapping[str, str], works: set[str]) -> bool:
    """True for a task that no living process will go on with in its own version."""
    if task.waiting:
        return task.version not in works
    return living.get(task.executor) != task.version


@dataclass(frozen=True, slots=True)
class Caretaker:
    """Keeps one process in the book, and takes over what others left. `clock` is monotonic."""

    me: Host
    book: HostBook
    tasks: Tasks
    watch: Watch = field(default_factory=Watch)
    clock: Callable[[], float] = time.monotonic

    async def beat(self) -> None:
        """Say that this process is alive."""
        await asyncio.to_thread(self.book.beat, self.me)

    async def look(self) -> Inheritance:
        """Take over what is left behind; a process that is gone is then forgotten."""
        hosts = await asyncio.to_thread(self.book.every)
        tasks = await self.tasks.unfinished()
        beats = {task.executor: -1 for task in tasks if not task.waiting and task.executor}
        beats |= {host.executor_id: host.beats for host in hosts}
        beats.pop(self.me.executor_id, None)
        silent = self.watch.look(beats, self.clock())
        left = inheritance(tasks, hosts, silent, self.me)
        if left.executors:
            count = await self.tasks.give_back(left.executors)
            log.warning("tasks taken over", extra={"executors": left.executors, "tasks": count})
        for task in (*left.over, *await self.tasks.half_started()):
            await self.tasks.start_over(task)
            log.warning("task of another version started over", extra={"task": task.key, "version": task.version})
        for host in hosts:
            if host.executor_id in silent:
                await asyncio.to_thread(self.book.forget, host.executor_id, host.beats)
        return left


async def forever(work: Callable[[], Awaitable[object]], every_s: float) -> None:
    """Do some work again and again; a failure is logged and the next time comes all the same."""
    failed = 0
    while True:
        try:
            await work()
            failed = 0
        except Exception as error:
            failed += 1
            level = logging.ERROR if failed >= MOST_FAILURES else logging.WARNING
            log.log(level, "housekeeping failed", exc_info=error, extra={"times": failed})
        await asyncio.sleep(every_s)
