"""Which of a suite's changes matter: the smallest set that is nearly as good as making them all.

Every literal a little off is one line of a pull request that changes nothing a person can see.
Making all changes would give the suite a predicted makespan, a sum of literals and a number of
files whose literal is below what they take; the set chosen here comes within a band of each.
Values are never changed here, and nothing is chosen that was not proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from bot.calibration.partition import lpt
from bot.calibration.placeholder import is_placeholder
from bot.calibration.policies import Materiality
from bot.domain import TestPath

_TRIED = 20  # changes tried at each step, the largest first
_STEPS = 40  # after so many single steps the rest is taken in tenths: bounds the search


@dataclass(frozen=True, slots=True)
class Change:
    """One file's literal and the value proposed for it (`after` equals `before`: none).

    `takes_s` is what the file takes of late, `slowest_s` its slowest pass in the window, `limit_s`
    the limit of the present literal.
    """

    path: TestPath
    before: float
    after: float
    takes_s: float
    slowest_s: float
    limit_s: int

    @property
    def size_s(self) -> float:
        """How far the literal moves."""
        return abs(self.after - self.before)

    def urgent(self, spare: float) -> bool:
        """True for a raise where the present limit is not above `spare` times the slowest pass."""
        return self.after > self.before and self.limit_s <= spare * self.slowest_s


class Matters(StrEnum):
    """Why a change is worth a line of a pull request."""

    LIMIT = "limit"  # the limit does not clear the slowest pass with room to spare
    PLACEHOLDER = "placeholder"  # one value written on several files and right for none
    TOO_LOW = "too_low"  # the literal is below what the file takes, or hardly above it
    SUM = "sum"  # the suite's literals add up to more than it takes
    MAKESPAN = "makespan"  # the largest partition shrinks


_FOR_THE_SUITE = frozenset({Matters.SUM, Matters.MAKESPAN})


@dataclass(frozen=True, slots=True)
class SuiteState:
    """A suite at one update: its files, its newest nights' seconds, its number of partitions.

    A file that was killed is part of its night with the seconds until then: it fills its partition.
    """

    changes: tuple[Change, ...]
    nights: tuple[Mapping[TestPath, float], ...]
    size: int


def choose(suite: SuiteState, bands: Materiality) -> dict[TestPath, Matters]:
    """The changes that matter, each with the first reason that asked for it.

    A file that did not run in the newest nights takes no part in the suite's load: only its limit,
    or a placeholder, can make its change matter.
    """
    chosen = {x.path: Matters.LIMIT for x in suite.changes if x.urgent(bands.spare)}
    for path in _placeholders(suite.changes):
        chosen.setdefault(path, Matters.PLACEHOLDER)
    suite = replace(suite, changes=tuple(x for x in suite.changes if any(x.path in night for night in suite.nights)))
    proposed = sorted((x for x in suite.changes if x.after != x.before), key=lambda x: (-x.size_s, x.path))
    _too_low(suite, bands, proposed, chosen)
    before = -1
    while before < len(chosen):  # one band's changes may push the suite out of the other
        before = len(chosen)
        _sum(suite, bands, proposed, chosen)
        _makespan(suite, bands, proposed, chosen)
    _drop_needless(suite, bands, proposed, chosen)
    return chosen


def _placeholders(changes: Iterable[Change]) -> list[TestPath]:
    """Files whose literal is a placeholder (`bot.calibration.placeholder`)."""
    found: list[TestPath] = []
    for literal, same in groupby(sorted(changes, key=lambda x: (x.before, x.path)), key=lambda x: x.before):
        group = list(same)
        if is_placeholder(literal, [x.after for x in group]):
            found.extend(x.path for x in group)
    return found


def _too_low(
    suite: SuiteState, bands: Materiality, proposed: Sequence[Change], chosen: dict[TestPath, Matters]
) -> None:
    """Raises literals with too little room above what their files take, until at most a band of all files is left."""
    low = [x for x in proposed if x.path not in chosen and x.after > x.before and x.takes_s * bands.room > x.before]
    left = int(bands.files * len(suite.changes))
    for change in low[: max(0, len(low) - left)]:
        chosen[change.path] = Matters.TOO_LOW


def _sum(suite: SuiteState, bands: Materiality, proposed: Sequence[Change], chosen: dict[TestPath, Matters]) -> None:
    """Lowers the largest excess until the sum of literals is within the band of all changes made."""
    target = sum(x.after for x in suite.changes) * (1 + bands.seconds)
    total = sum(x.after if x.path in chosen else x.before for x in suite.changes)
    for change in proposed:
        if total <= target:
            return
        if change.path not in chosen and change.after < change.before:
            chosen[change.path] = Matters.SUM
            total -= change.size_s


def _makespan(
    suite: SuiteState, bands: Materiality, proposed: Sequence[Change], chosen: dict[TestPath, Matters]
) -> None:
    """Adds the change that shrinks the makespan most until it is within the band of all changes made."""
    if suite.size < 2 or not proposed:
        return
    literals = {x.path: x.after if x.path in chosen else x.before for x in suite.changes}
    rest = [x for x in proposed if x.path not in chosen]
    goal = predicted({x.path: x.after for x in suite.changes}, suite) * (1 + bands.makespan)
    tenth, steps = max(1, len(rest) // 10), 0
    while rest and (now := predicted(literals, suite)) > goal:
        taken = [_best(rest, literals, suite, now)] if steps < _STEPS else rest[:tenth]
        steps += 1
        for change in taken:
            rest.remove(change)
            literals[change.path] = change.after
            chosen[change.path] = Matters.MAKESPAN


def _best(rest: Sequence[Change], literals: Mapping[TestPath, float], suite: SuiteState, now: float) -> Change:
    """The change that alone shrinks the makespan most; the largest where none shrinks it."""
    outcomes = [(predicted({**literals, x.path: x.after}, suite), i) for i, x in enumerate(rest[:_TRIED])]
    makespan, index = min(outcomes)
    return rest[index] if makespan < now else rest[0]


def _drop_needless(
    suite: SuiteState, bands: Materiality, proposed: Sequence[Change], chosen: dict[TestPath, Matters]
) -> None:
    """Takes back the smallest changes that later ones made needless: without them both bands hold as well."""
    asked = [x for x in reversed(proposed) if chosen.get(x.path) in _FOR_THE_SUITE]
    if not asked:
        return
    literals = {x.path: x.after if x.path in chosen else x.before for x in suite.changes}
    every = {x.path: x.after for x in suite.changes}
    most_s = max(sum(every.values()) * (1 + bands.seconds), sum(literals.values()))
    most = max(predicted(every, suite) * (1 + bands.makespan), predicted(literals, suite))
    for change in asked[:_STEPS]:
        without = {**literals, change.path: change.before}
        if sum(without.values()) <= most_s and predicted(without, suite) <= most:
            literals = without
            del chosen[change.path]


def predicted(literals: Mapping[TestPath, float], suite: SuiteState) -> float:
    """Makespan over mean load if the newest nights came again, their mean; packed by `literals`."""
    members = lpt(literals, suite.size)
    ratios = []
    for night in suite.nights:
        loads = [sum(night.get(path, 0.0) for path in rank) for rank in members]
        ratios.append(max(loads) * suite.size / (sum(loads) or 1.0))
    return sum(ratios) / len(ratios)
