"""Kills the service at one point after the other, starts it again, and looks at the world.

A point is a call that changes something on GitHub (before it takes effect, and after it did but
before its answer is heard), a durable step (before it, when its work is done and not yet kept, and
when it is kept), or a moment of a delivery. Each is played in a repository of its own.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

from bot.sandbox import events
from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Arrival, CallRecord, Exchange
from tests.chaos.process import KilledRig
from tests.chaos.walk import Act, Log
from tests.chaos.worlds import Seen, repeated, seen
from tests.sandbox.service import ROLLING, Case

WAIT_S = 90.0
STEP_MOMENTS = ("before", "done", "kept")
DELIVERY_MOMENTS = ("before", "enqueued", "noted")
TOKENS = "/app/installations/{installation_id}/access_tokens"


@dataclass(frozen=True)
class Point:
    """Where the process dies. `number` counts the calls of one kind, or the steps of the task; 0: the delivery."""

    act: Act
    number: int
    moment: str
    method: str = ""
    route: str = ""
    intruder: bool = False  # a person pushes to the branch while the service is down

    def __str__(self) -> str:
        what = f"{self.method} {self.route}" if self.route else "step" if self.number else "delivery"
        person = ", a person pushes meanwhile" if self.intruder else ""
        return f"{self.act.name.lower()} {what} #{self.number} {self.moment}{person}"


@dataclass
class Tally:
    """What came of the points."""

    points: int = 0
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)


class Killer:
    """Plays points on one rig."""

    def __init__(self, rig: KilledRig, made: Generated) -> None:
        assert rig.child
        self._rig = rig
        self._child = rig.child
        self._made = made
        self._names = (f"kill{n}" for n in itertools.count())
        self.calls: dict[Act, list[CallRecord]] = {}
        self.steps: dict[Act, int] = {}
        self.worlds: dict[Act, Seen] = {}
        self._clean()

    def points(self) -> Iterator[Point]:
        """All of them."""
        for act in Act:
            for method, route, number in _writes(self.calls[act]):
                for moment in ("before", "after"):
                    yield Point(act, number, moment, method, route)
                    if route in ("/graphql:updateRefs", "/repos/{owner}/{repo}/pulls") and act is not Act.COMMAND:
                        yield Point(act, number, moment, method, route, intruder=True)
            for number in range(1, self.steps[act] + 1):
                yield from (Point(act, number, moment) for moment in STEP_MOMENTS)
            yield from (Point(act, 0, moment) for moment in DELIVERY_MOMENTS)

    def play(self, point: Point, tally: Tally) -> None:
        """Play one, and note what was lost or came twice."""
        case, runs = self._rig.started(self._made, next(self._names))
        for act in Act:
            if act < point.act:
                self._finish(case, *self._delivery(case, runs, act))
        key, deliver = self._delivery(case, runs, point.act)
        with self._armed(case, key, point):
            accepted = deliver()
            until = time.monotonic() + WAIT_S
            while self._child.alive and time.monotonic() < until:
                time.sleep(0.005)
        if self._child.alive:
            tally.lost.append(f"{point}: was not reached")
            return
        person = self._intrude(case) if point.intruder else None
        self._rig.stop()
        self._rig.start()
        if not accepted:
            deliver()
        tally.points += 1
        self._judge(case, key, point, person, tally)

    def _judge(self, case: Case, key: str, point: Point, person: str | None, tally: Tally) -> None:
        if not self._ended(case, key):
            tally.lost.append(f"{point}: the task has no end")
            return
        tally.duplicated += [f"{point}: {what}" for what in repeated(case.repo) if not (person and "commit" in what)]
        if person is not None:
            if case.tip() != person:
                tally.lost.append(f"{point}: a person's commit")
            return
        now = seen(case.repo)
        wrong = [name for name, wanted in self.worlds[point.act].items() if now[name] != wanted]
        if wrong:
            tally.lost.append(f"{point}: {wrong} differ, {case.store.outcomes.find(key)}")

    @contextmanager
    def _armed(self, case: Case, key: str, point: Point) -> Iterator[None]:
        """The point, set while the block runs."""
        world = self._rig.world
        met = itertools.count(1)

        def here(method: str, route: str) -> bool:
            return (method, route) == (point.method, point.route) and next(met) == point.number

        def gate(arrival: Arrival) -> None:
            if point.moment == "before" and here(arrival.method, arrival.route):
                self._child.kill()

        def watcher(exchange: Exchange) -> None:
            if point.moment == "after" and here(exchange.method, exchange.route):
                self._child.kill()

        if not point.route:
            self._child.plan.write_text(f"{key} {point.number} {point.moment}")
        elif point.moment == "before":
            world.faults.append(planned(FaultKind.DROPPED, point.method, point.route, skip=point.number - 1))
        world.gates.append(gate)
        world.watchers.append(watcher)
        try:
            yield
        finally:
            world.gates.remove(gate)
            world.watchers.remove(watcher)
            world.faults.clear()
            self._child.plan.unlink(missing_ok=True)

    def _intrude(self, case: Case) -> str | None:
        """A person pushes a commit of their own to the rolling branch."""
        branch = ROLLING.removeprefix("refs/heads/")
        return case.person("grace").commit(branch, {"notes.md": b"mine\n"}, "A note")

    def _delivery(self, case: Case, runs: list[int], act: Act) -> tuple[str, Callable[[], bool]]:
        """The key of an act's task, and how its webhook is sent: True where it was accepted."""
        guid = f"chaos-{case.repo.id}-{act.value}"
        if act is not Act.COMMAND:
            return case.key(runs[act]), lambda: case.deliver(runs[act], guid=guid).status_code == 202
        comment = case.person().comment(case.pull.number, "/recalibrate")
        payload = events.issue_comment(self._rig.world, case.repo, comment)
        sandbox = self._rig.sandbox
        return (
            f"command:{case.repo.id}:{comment.id}",
            lambda: sandbox.deliver("issue_comment", payload, guid).status_code == 202,
        )

    def _finish(self, case: Case, key: str, deliver: Callable[[], bool]) -> None:
        assert deliver()
        assert self._ended(case, key), key

    def _ended(self, case: Case, key: str) -> bool:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            if case.store.outcomes.find(key):
                return True
            time.sleep(0.02)
        return False

    def _clean(self) -> None:
        """Play every act without a kill; then count each task's steps by asking for one that is never taken."""
        case, runs = self._rig.started(self._made, next(self._names))
        for act in Act:
            mark = len(self._rig.world.journal)
            key, deliver = self._delivery(case, runs, act)
            self._finish(case, key, deliver)
            self.calls[act] = self._rig.world.journal[mark:]
            self.worlds[act] = seen(case.repo)
            self.steps[act] = _steps(self._rig.settings.queue_url, key)


def kill_all(killer: Killer, points: list[Point], say: Log) -> Tally:
    """Play points one after the other."""
    tally = Tally()
    for point in points:
        before = len(tally.lost) + len(tally.duplicated)
        killer.play(point, tally)
        if len(tally.lost) + len(tally.duplicated) > before:
            say("; ".join([*tally.lost, *tally.duplicated][-2:]))
    return tally


def _writes(calls: list[CallRecord]) -> list[tuple[str, str, int]]:
    """Every call that changes something, with its number among its kind; tokens change nothing that lasts."""
    times: dict[tuple[str, str], int] = {}
    found = []
    for call in calls:
        kind = (call.method, call.route)
        if call.method != "GET" and call.route not in ("/graphql:repository", TOKENS):
            times[kind] = times.get(kind, 0) + 1
            found.append((*kind, times[kind]))
    return found


def _steps(queue_url: str, key: str) -> int:
    """How many steps a finished task has taken, as the engine remembers them."""
    engine = sa.create_engine(sa.make_url(queue_url.replace("postgresql://", "postgresql+psycopg://", 1)))
    schema = "dbos." if engine.dialect.name == "postgresql" else ""
    ended = sa.text(f"SELECT status FROM {schema}workflow_status WHERE workflow_uuid = :key")  # noqa: S608 - a constant
    taken = sa.text(f"SELECT count(*) FROM {schema}operation_outputs WHERE workflow_uuid = :key")  # noqa: S608 - likewise
    try:
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            with engine.connect() as connection:
                if connection.execute(ended, {"key": key}).scalar() == "SUCCESS":
                    return int(connection.execute(taken, {"key": key}).scalar_one())
            time.sleep(0.05)
    finally:
        engine.dispose()
    raise RuntimeError(f"{key} did not end")
