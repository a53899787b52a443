"""Kills the service at one point after the other, starts it again, and looks at the world.

A point is a call that changes something on GitHub (before it takes effect, and after it did but
before its answer is heard), a durable step (before it, when its work is done and not yet kept, and
when it is kept), or a moment of a delivery. At some a person pushes: while the service is down, or
between its read and its write. One repository lives through one point of each act, and is judged
after each; where something is wrong the rest of its points is played in another one.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Arrival, CallRecord, Exchange
from tests.chaos.acts import STORIES, Act, Asked, Rows, Scene
from tests.chaos.engine import steps_taken
from tests.chaos.ledger import Ledger, Verdict
from tests.chaos.process import KilledRig
from tests.chaos.worlds import Seen, difference, repeated, seen
from tests.sandbox.service import ROLLING, Case
from tests.waits import PATIENCE_S

STEP_MOMENTS = ("before", "done", "kept")
DELIVERY_MOMENTS = ("before", "enqueued", "noted")
TOKENS = "/app/installations/{installation_id}/access_tokens"
ATTEMPTS, ISSUES = "/app/hook/deliveries/{delivery_id}/attempts", "/repos/{owner}/{repo}/issues"
BRANCH_WRITES = ("/graphql:updateRefs", "/repos/{owner}/{repo}/pulls")


class Person(StrEnum):
    """When somebody pushes a commit of their own to the rolling branch."""

    NOBODY = ""
    MEANWHILE = "a person pushes meanwhile"  # the service is down
    BETWEEN = "a person pushes just before"  # it has read the branch, and its write is on the way


@dataclass(frozen=True)
class Point:
    """Where the process dies. `number` counts the calls of one kind, or the steps of the task; 0: the delivery."""

    act: Act
    number: int
    moment: str
    method: str = ""
    route: str = ""
    person: Person = Person.NOBODY

    def __str__(self) -> str:
        what = f"{self.method} {self.route}" if self.route else "step" if self.number else "delivery"
        person = f", {self.person}" if self.person else ""
        return f"{self.act.name.lower()} {what} #{self.number} {self.moment}{person}"


@dataclass
class Clean:
    """An act without a kill: its calls and steps, how it ended, and the world after it."""

    calls: list[CallRecord]
    steps: int
    delivered: bool
    outcome: str
    world: Seen
    rows: Rows


@dataclass
class _Life:
    """One repository, and what is to be played in it."""

    scene: Scene
    points: Mapping[Act, Point]
    found: dict[Point, Verdict] = field(default_factory=dict)


class Killer:
    """Plays points on one rig."""

    def __init__(self, rig: KilledRig, made: Generated) -> None:
        self._rig = rig
        self._made = made
        self._names = (f"kill{n}" for n in itertools.count())
        self._bystander: Scene | None = None  # a repository that nothing more may happen to
        self.clean: dict[Act, Clean] = {}
        for story in STORIES:
            self._play_clean(story)

    def points(self) -> Iterator[Point]:
        """All of them."""
        for act, clean in self.clean.items():
            for method, route, number in _writes(act, clean.calls):
                for moment in ("before", "after"):
                    yield Point(act, number, moment, method, route)
                    if route in BRANCH_WRITES and act not in (Act.COMMAND, Act.RERUN):
                        yield Point(act, number, moment, method, route, Person.MEANWHILE)
                        yield Point(act, number, moment, method, route, Person.BETWEEN)
            for number in range(1, clean.steps + 1):
                yield from (Point(act, number, moment) for moment in STEP_MOMENTS)
            if clean.delivered:
                yield from (Point(act, 0, moment) for moment in DELIVERY_MOMENTS)

    def live(self, story: Sequence[Act], points: Mapping[Act, Point]) -> dict[Point, Verdict]:
        """One repository through a story; the verdicts of the points it came to."""
        life = _Life(Scene(self._rig, self._made, next(self._names)), points)
        last = max(points)
        try:
            for act in story:
                if act <= last and not self._lived(life, act):
                    break
        finally:
            life.scene.leave()
        self._bystander = life.scene
        return life.found

    def _lived(self, life: _Life, act: Act) -> bool:
        """One act of a life; False where the life ends with it."""
        point = life.points.get(act)
        before = self._bystander.rows() if self._bystander and act is Act.FORGOTTEN else {}
        if point is None:
            life.scene.play(act)
            return True
        verdict = self._played(life.scene, point)
        if before and self._bystander and self._bystander.rows() != before:
            verdict = Verdict([*verdict.lost, "rows of another repository"], verdict.duplicated)
        life.found[point] = verdict
        return verdict.good and not point.person

    def _played(self, scene: Scene, point: Point) -> Verdict:
        asked = scene.stage(point.act)
        pushed: list[str] = []
        with self._armed(scene.case, asked.key, point, pushed):
            accepted = asked.send()
            until = time.monotonic() + PATIENCE_S
            while self._rig.alive and time.monotonic() < until:
                time.sleep(0.005)
            if self._rig.alive:
                return Verdict(["was not reached"])
        if point.person is Person.MEANWHILE:
            pushed.append(intrude(scene.case))
        self._rig.stop()
        self._rig.start()
        if not accepted:
            asked.send()
        return self._judged(scene, asked, point, pushed)

    def _judged(self, scene: Scene, asked: Asked, point: Point, pushed: Sequence[str]) -> Verdict:
        if point.act is Act.SWEEP:  # a delivery that came again while the service was down is the next sweep's
            scene.await_end(asked.key)
            scene.sweep_again()
        ended, clean, repo = scene.end(asked), self.clean[point.act], scene.case.repo
        if ended.outcome == "no end":
            return Verdict([f"the task has no end: {ended.detail}"])
        if point.person:
            kept = bool(pushed) and scene.case.tip() == pushed[0]
            twice = [what for what in repeated(repo) if "on the branch" not in what]
            return Verdict([] if kept else ["a person's commit"], twice)
        now, rows = seen(repo), scene.rows()
        lost = [
            f"{difference(name, wanted, now[name])} after {ended}"
            for name, wanted in clean.world.items()
            if now[name] != wanted
        ]
        # the rows say that it is gone; a sweep that finds it gone already has nothing to do, and says so
        again = point.act is Act.FORGOTTEN and ended.outcome == "nothing_to_do"
        if ended.outcome != clean.outcome and not again:
            lost.append(f"ended as {ended} and not as {clean.outcome}")
        if rows != clean.rows and point.act is Act.FORGOTTEN:
            lost.append(f"rows are left: {rows}")
        return Verdict(lost, repeated(repo))

    @contextmanager
    def _armed(self, case: Case, key: str, point: Point, pushed: list[str]) -> Iterator[None]:
        """The point, set while the block runs."""
        world = self._rig.world
        met = itertools.count(1)

        def here(method: str, route: str) -> bool:
            return (method, route) == (point.method, point.route) and next(met) == point.number

        before = point.moment == "before" or point.person is Person.BETWEEN

        def gate(arrival: Arrival) -> None:
            if not before or not here(arrival.method, arrival.route):
                return
            if point.person is Person.BETWEEN:
                pushed.append(intrude(case))
            if point.moment == "before":
                self._rig.kill()

        def watcher(exchange: Exchange) -> None:
            if point.moment != "after" or (exchange.method, exchange.route) != (point.method, point.route):
                return
            if pushed or (not before and next(met) == point.number):
                self._rig.kill()

        if not point.route:
            self._rig.plan.write_text(f"{key} {point.number} {point.moment}")
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
            self._rig.plan.unlink(missing_ok=True)

    def _play_clean(self, story: Sequence[Act]) -> None:
        """Play every act without a kill; a task's steps are counted as the engine remembers them."""
        scene = Scene(self._rig, self._made, next(self._names))
        for act in story:
            mark = len(self._rig.world.journal)
            asked = scene.stage(act)
            asked.send()
            ended = scene.end(asked)
            calls = self._rig.world.journal[mark:]
            steps = steps_taken(self._rig.settings.queue_url, asked.key)
            world, twice = seen(scene.case.repo), repeated(scene.case.repo)
            if ended.outcome == "no end" or twice:
                raise RuntimeError(f"{act.name} does not play: {ended} {twice}")
            self.clean[act] = Clean(calls, steps, asked.delivered, ended.outcome, world, scene.rows())
        scene.leave()
        self._bystander = scene


def kill_all(killer: Killer, points: Sequence[Point], ledger: Ledger, database: str) -> None:
    """Play points, one of each act in one repository, until each has its verdict."""
    for story in STORIES:
        waiting = {act: deque(point for point in points if point.act is act) for act in story}
        while any(waiting.values()):
            lived = killer.live(story, {act: queue[0] for act, queue in waiting.items() if queue})
            for point, verdict in lived.items():
                waiting[point.act].popleft()
                ledger.note(f"{database}: {point}", verdict)


def intrude(case: Case) -> str:
    """A person pushes a commit of their own to the rolling branch; its SHA."""
    branch = ROLLING.removeprefix("refs/heads/")
    return case.person("grace").commit(branch, {"notes.md": b"mine\n"}, "A note")


def _writes(act: Act, calls: Sequence[CallRecord]) -> list[tuple[str, str, int]]:
    """Every call that changes something, with its number among its kind; tokens change nothing that lasts.

    Of a sweep its own: what it finds are nights and commands, which are acts themselves.
    """
    times: dict[tuple[str, str], int] = {}
    found = []
    for call in calls:
        kind = (call.method, call.route)
        if call.method == "GET" or call.route in ("/graphql:repository", TOKENS):
            continue
        times[kind] = times.get(kind, 0) + 1
        if act is not Act.SWEEP or call.route in (ATTEMPTS, ISSUES):
            found.append((*kind, times[kind]))
    return found
