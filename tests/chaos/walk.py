"""Walks the calls of the pipeline through the faults they can meet: cell by cell, each in a repository of its own.

A cell is one call of one act (first night, second night, comment command) and one fault. It ends in
the world that a clean run ends in, or with a stored name and nothing half-done; then the fault is
lifted and the next night heals. Anything else is a finding.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from bot.domain import RejectionReason
from bot.sandbox import events
from bot.sandbox.faults import LOGS, FaultKind, applicable, planned
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import CallRecord
from tests.chaos.worlds import Seen, repeated, seen
from tests.sandbox.service import Case, Ended, Rig

WAIT_S = 60.0
JOB_LOGS = "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs"
REFUSALS = frozenset(
    {
        "refused",
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
PUBLIC = ("branch", "evidence", "branches", "pulls")
Log = Callable[[str], None]


class Act(IntEnum):
    """What happens in a repository, one after the other."""

    FIRST = 0
    SECOND = 1
    COMMAND = 2


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
                    if (method, route) not in known or kind is FaultKind.STALE or (writes and _lost(kind)):
                        yield Cell(act, method, route, skip, kind)
            known |= {(call.method, call.route) for call in calls}

    def run(self, cell: Cell) -> Found:
        """Play the acts up to the cell's under its fault, judge, lift it, and let the next night heal."""
        case, runs = self._rig.started(self.made, next(self._names))
        try:
            return self._judged(case, runs, cell)
        finally:
            self._rig.world.faults.clear()

    def _judged(self, case: Case, runs: Sequence[int], cell: Cell) -> Found:
        for act in Act:
            if act < cell.act:
                self._play(case, runs, act)
        before = seen(case.repo)
        fault = planned(cell.kind, cell.method, cell.route, skip=cell.skip)
        self._rig.world.faults.append(fault)
        ended = self._play(case, runs, cell.act)
        self._rig.world.faults.clear()
        if not fault.met:
            return Found("not met", met=False)
        twice = repeated(case.repo)
        if twice:
            return Found(ended.outcome, "; ".join(twice))
        how, problem = self._compared(case, cell.act, ended, before)
        return Found(how, problem or self._healed(case, runs, how))

    def _compared(self, case: Case, act: Act, ended: Ended, before: Seen) -> tuple[str, str]:
        """How the act ended, and what is wrong with that."""
        wanted, now = self.clean.worlds[act], seen(case.repo)
        different = sorted(name for name in wanted if wanted[name] != now[name])
        if not different and ended.outcome == self.clean.ends[act].outcome:
            return "same world", ""
        if set(different) <= {"checks"} and "no check run" in ended.detail:
            return "no check run, and said so", ""
        if self._partial(case) and ended.outcome in ("published", "refreshed"):
            return "partial, and said so", ""
        if self._unproven(case, ended) and not different.count("branches"):
            return "evidence not used, and said so", ""
        if ended.outcome not in REFUSALS:
            return ended.outcome, f"{different} differ after {ended}"
        if ended.outcome == "pull_request_forbidden":
            return ended.outcome, "" if now["branch"] == wanted["branch"] else "the branch is not there"
        if ended.outcome == "parked" and ended.detail.startswith("step pull request: "):  # it is taken up again
            return "parked at the last step", "" if now["branch"] == wanted["branch"] else "the branch is not there"
        half = [name for name in PUBLIC if before[name] != now[name]]
        return ended.outcome, f"half done: {half} after {ended}" if half else ""

    def _healed(self, case: Case, runs: Sequence[int], how: str) -> str:
        """After a refusal the next night publishes; "" where all is well."""
        if how == "same world":
            return ""
        ended = self._night(case, runs[-1])
        open_issues = [it.title for it in case.issues if it.state == "open"]
        wrong = repeated(case.repo) + open_issues
        if ended.outcome not in ("published", "refreshed") or wrong:
            return f"not healed: {ended} {wrong}"
        return "" if case.pull.pull and case.pull.pull.head_sha == case.tip() else "the pull request is elsewhere"

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
        case, runs = self._rig.started(self.made, next(self._names))
        for act in Act:
            mark = len(self._rig.world.journal)
            clean.ends[act] = self._play(case, runs, act)
            clean.calls[act] = self._rig.world.journal[mark:]
            clean.worlds[act] = seen(case.repo)
        return clean

    def _play(self, case: Case, runs: Sequence[int], act: Act) -> Ended:
        if act is not Act.COMMAND:
            return self._night(case, runs[act])
        case.person()
        comment = case.person().comment(case.pull.number, "/recalibrate")
        payload = events.issue_comment(self._rig.world, case.repo, comment)
        assert self._rig.sandbox.deliver("issue_comment", payload).status_code == 202
        return self._ended(f"command:{case.repo.id}:{comment.id}")

    def _night(self, case: Case, run: int) -> Ended:
        assert case.deliver(run).status_code == 202
        return self._ended(case.key(run))

    def _ended(self, key: str) -> Ended:
        """Wait for a task's stored end; looked for often, so that a walk is quick."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            stored = self._rig.store.outcomes.find(key)
            if stored:
                return Ended(stored.name, stored.detail)
            time.sleep(0.01)
        return Ended("no end", f"after {WAIT_S} s")


def walk(walker: Walker, cells: Sequence[Cell], say: Log) -> tuple[Counter[str], list[str]]:
    """Run cells; how often each end was met, and the findings."""
    ends: Counter[str] = Counter()
    findings = []
    for cell in cells:
        found = walker.run(cell)
        if not found.met:
            continue
        ends[found.how] += 1
        if found.problem:
            findings.append(f"{cell}: {found.problem}")
            say(findings[-1])
    return ends, findings


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
