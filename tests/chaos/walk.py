"""Walks the calls of the pipeline through the faults they can meet: one repository meets one fault in each act.

A cell is one call of one act (a night, another one, a command, a button, a pull request, a sweep) and
one fault. It ends in the world that a clean run ends in, and the next act follows; or with a stored
name and nothing half-done, and then the fault is lifted and the next night heals. Anything else is
a finding.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain import RejectionReason
from bot.sandbox.faults import LOGS, FaultKind, applicable, planned
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import CallRecord
from tests.chaos.acts import ROAD, Act, Scene
from tests.chaos.ledger import NOT_MET, Ledger, Verdict
from tests.chaos.worlds import Seen, difference, repeated, seen
from tests.sandbox.service import Case, Ended, Rig

WALKED = (*ROAD, Act.RERUN, Act.PULL, Act.SWEEP)
JOB_LOGS = "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs"
REFUSALS = frozenset(
    {
        "refused",
        "denied",
        "run_gone",
        "logs_forbidden",
        "no_timings",
        "config_unreadable",
        "branch_protected",
        "parked",
        "pull_request_forbidden",
        "unverified",
    }
)
SAME = "same world"
PUBLIC = ("branch", "evidence", "branches", "pulls")


@dataclass(frozen=True)
class Cell:
    """One call and what becomes of it."""

    act: Act
    method: str
    route: str
    skip: int
    kind: FaultKind

    def __str__(self) -> str:
        return f"{self.act.name.lower()} {self.method} {self.route} #{self.skip + 1} {self.kind}"


@dataclass(frozen=True)
class Found:
    """How a cell ended: `problem` "" is good. `met` False: the fault had nothing to do there."""

    how: str
    problem: str = ""
    met: bool = True


@dataclass
class Clean:
    """The calls of each act without faults, and the world after it."""

    calls: dict[Act, list[CallRecord]] = field(default_factory=dict)
    worlds: dict[Act, Seen] = field(default_factory=dict)
    ends: dict[Act, Ended] = field(default_factory=dict)


class Walker:
    """Runs cells on one service."""

    def __init__(self, rig: Rig, made: Generated) -> None:
        self._rig = rig
        self.made = made
        self._names = (f"cell{n}" for n in itertools.count())
        self.clean = self._clean()

    def cells(self) -> Iterator[Cell]:
        """Every call of the first night with every fault; of later acts what is new, written or read again."""
        known: set[tuple[str, str]] = set()
        for act, calls in self.clean.calls.items():
            for method, route, skip in _distinct(calls):
                for kind in sorted(applicable(method, route)):
                    writes = method != "GET" and not route.startswith("/graphql:repository")
                    again = act is not Act.SWEEP and (kind is FaultKind.STALE or (writes and _lost(kind)))
                    if (method, route) not in known or again:
                        yield Cell(act, method, route, skip, kind)
            known |= {(call.method, call.route) for call in calls}

    def run(self, cell: Cell) -> Found:
        """One cell in a repository of its own."""
        return self.live({cell.act: cell})[cell]

    def live(self, cells: Mapping[Act, Cell]) -> dict[Cell, Found]:
        """One repository through the acts, each under its cell's fault, until one does not end in the same world."""
        scene = Scene(self._rig, self.made, next(self._names))
        try:
            return self._lived(scene, cells)
        finally:
            scene.leave()

    def _lived(self, scene: Scene, cells: Mapping[Act, Cell]) -> dict[Cell, Found]:
        found: dict[Cell, Found] = {}
        for act in WALKED[: WALKED.index(max(cells)) + 1]:
            cell = cells.get(act)
            if cell is None:
                scene.play(act)
                continue
            try:
                found[cell] = self._judged(scene, cell)
            finally:
                self._rig.world.faults.clear()
            if found[cell].how not in (SAME, NOT_MET) or found[cell].problem:
                break
        return found

    def _judged(self, scene: Scene, cell: Cell) -> Found:
        before = seen(scene.case.repo)
        asked = scene.stage(cell.act)
        fault = planned(cell.kind, cell.method, cell.route, skip=cell.skip)
        self._rig.world.faults.append(fault)
        if not asked.send():
            return Found("not accepted", "the delivery was not accepted")
        if cell.act is Act.SWEEP:
            ended = scene.await_end(asked.key)
            self._rig.world.faults.clear()
            scene.sweep_again()  # what one sweep could not do later ones do
            scene.end(asked)
        else:
            ended = scene.end(asked)
            self._rig.world.faults.clear()
        if not fault.met:
            return Found(NOT_MET, met=False)
        twice = repeated(scene.case.repo)
        if twice:
            return Found(ended.outcome, "; ".join(twice))
        how, problem = self._compared(scene.case, cell.act, ended, before)
        if cell.act is not Act.SWEEP:
            problem = problem or self._healed(scene, how)
        return Found(how, problem)

    def _compared(self, case: Case, act: Act, ended: Ended, before: Seen) -> tuple[str, str]:
        """How the act ended, and what is wrong with that."""
        wanted, now = self.clean.worlds[act], seen(case.repo)
        different = sorted(name for name in wanted if wanted[name] != now[name])
        if not different and ended.outcome == self.clean.ends[act].outcome:
            return SAME, ""
        if ended.outcome == "published" and all(
            _but_commits(wanted[name]) == _but_commits(now[name]) for name in wanted
        ):
            return "no commit is known that explains", ""
        told = "; ".join(difference(name, wanted[name], now[name]) for name in different)
        if act is Act.SWEEP:
            return ended.outcome, f"after two more sweeps, too: {told}; {ended}" if different else ""
        if act is Act.PULL and not set(different) - {"checks"} and ended.outcome in (*REFUSALS, "checked"):
            return "its check run says why, or cannot be put", ""
        if set(different) <= {"checks"} and "no check run" in ended.detail:
            return "no check run, and said so", ""
        if self._partial(case) and ended.outcome in ("published", "refreshed"):
            return "partial, and said so", ""
        if self._unproven(case, ended) and not different.count("branches"):
            return "evidence not used, and said so", ""
        if ended.outcome not in REFUSALS:
            return ended.outcome, f"{told} after {ended}"
        if ended.outcome == "pull_request_forbidden":
            return ended.outcome, "" if now["branch"] == wanted["branch"] else "the branch is not there"
        if ended.outcome == "parked" and ended.detail.startswith("step pull request: "):  # it is taken up again
            return "parked at the last step", "" if now["branch"] == wanted["branch"] else "the branch is not there"
        half = [name for name in PUBLIC if before[name] != now[name]]
        return ended.outcome, f"half done: {half} after {ended}" if half else ""

    def _healed(self, scene: Scene, how: str) -> str:
        """After a refusal the next night publishes; "" where all is well."""
        if how == SAME:
            return ""
        case, run = scene.case, scene.runs[-1]
        if case.deliver(run).status_code != 202:
            return "not healed: the next night was not accepted"
        ended = scene.await_end(case.key(run))
        open_issues = [it.title for it in case.issues if it.state == "open"]
        wrong = repeated(case.repo) + open_issues
        if ended.outcome not in ("published", "refreshed") or wrong:
            return f"not healed: {ended} {wrong}"
        ours = next((it.pull for it in case.pulls if it.app is not None and it.state == "open"), None)
        return "" if ours and ours.head_sha == case.tip() else "the pull request is elsewhere"

    def _unproven(self, case: Case, ended: Ended) -> bool:
        """True where an ancestry that could not be told kept samples from being used."""
        newest = case.store.evaluations.newest(case.repository_id, 1)
        evaluation = case.store.evaluations.find(newest[0]) if newest else None
        reasons = {one.reason for one in evaluation.rejections} if evaluation else set()
        return ended.outcome == "published" and RejectionReason.HEAD_NOT_IN_BASE in reasons

    def _partial(self, case: Case) -> bool:
        return any(one.partial for run in case.repo.runs for one in case.evidence(run))

    def _clean(self) -> Clean:
        clean = Clean()
        scene = Scene(self._rig, self.made, next(self._names))
        for act in WALKED:
            mark = len(self._rig.world.journal)
            clean.ends[act] = scene.play(act)
            clean.calls[act] = self._rig.world.journal[mark:]
            clean.worlds[act] = seen(scene.case.repo)
        scene.leave()
        return clean


def walk(walker: Walker, cells: Sequence[Cell], ledger: Ledger) -> None:
    """Run cells, one of each act in one repository, until each has its verdict."""
    waiting = {act: deque(cell for cell in cells if cell.act is act) for act in WALKED}
    while any(waiting.values()):
        lived = walker.live({act: queue[0] for act, queue in waiting.items() if queue})
        for cell, found in lived.items():
            waiting[cell.act].popleft()
            ledger.note(f"walk: {cell}", Verdict([found.problem] if found.problem else [], how=found.how))


def _but_commits(part: object) -> str:
    """A part of a world without the lines that name commits, which only help to explain a test at its limit."""
    return re.sub(r"(\\n)+ *- [^\\]*Commits that touched it[^\\]*", "", repr(part))


def _distinct(calls: Sequence[CallRecord]) -> list[tuple[str, str, int]]:
    """Each call once with how many of its kind came before it; of job logs the first and the last."""
    times: Counter[tuple[str, str]] = Counter()
    found = []
    for call in calls:
        found.append((call.method, call.route, times[call.method, call.route]))
        times[call.method, call.route] += 1
    many = {kind for kind in times if kind[1] in (LOGS, JOB_LOGS)}
    return [it for it in found if it[:2] not in many or it[2] in (0, times[it[0], it[1]] - 1)]


def _lost(kind: FaultKind) -> bool:
    return kind in (FaultKind.BROKEN_AFTER, FaultKind.DROPPED_AFTER, FaultKind.SHORT, FaultKind.GRAPHQL_ERROR_AFTER)
