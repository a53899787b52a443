"""What a replay is judged by, counted date by date.

Shares are fractions. A percentile is inclusive, with linear interpolation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from bot.calibration.estimators.quantile import inclusive
from bot.calibration.partition import lpt
from bot.domain import TestPath

DAYS_A_MONTH = 365.25 / 12


@dataclass(frozen=True, slots=True)
class Score:
    """One policy on one suite, after the warm-up. The fields are the keys of the JSON output.

    `above_literal` and `killed`: shares of runs longer than their literal, and than its limit.
    `inflation`: sum of literals over sum of actual seconds (0 where those are 0). `makespan_*`:
    over the lower bound `max(sum / K, longest file)`, the mean and the 95th percentile of dates.
    """

    suite: str
    policy: str
    files: int
    above_literal: float
    killed: float
    inflation: float
    makespan_mean: float
    makespan_p95: float
    edits_per_update: float
    prs_per_month: float


@dataclass(slots=True)
class Tally:
    """Counts of a replay under way."""

    runs: int = 0
    above: int = 0
    killed: int = 0
    literals_s: float = 0.0
    actual_s: float = 0.0
    makespans: list[float] = field(default_factory=list)
    updates: int = 0
    edits: int = 0
    prs: int = 0

    def count(
        self, night: Mapping[TestPath, float], literals: Mapping[TestPath, float], limits: Mapping[TestPath, int]
    ) -> None:
        """Counts one date's runs."""
        self.runs += len(night)
        self.literals_s += sum(literals[path] for path in night)
        self.actual_s += sum(night.values())
        self.above += sum(seconds > literals[path] for path, seconds in night.items())
        self.killed += sum(seconds > limits[path] for path, seconds in night.items())

    def update(self, edits: int) -> None:
        """Counts one scheduled update; without an edit there is no pull request."""
        self.updates += 1
        self.edits += edits
        self.prs += edits > 0

    def score(self, suite: str, policy: str, files: int, span: tuple[date, date]) -> Score:
        """The numbers of the replay; `span` is the first and the last date counted."""
        months = ((span[1] - span[0]).days + 1) / DAYS_A_MONTH
        return Score(
            suite=suite,
            policy=policy,
            files=files,
            above_literal=self.above / self.runs,
            killed=self.killed / self.runs,
            inflation=self.literals_s / self.actual_s if self.actual_s else 0.0,
            makespan_mean=sum(self.makespans) / len(self.makespans),
            makespan_p95=float(inclusive(self.makespans, Fraction(95, 100))),
            edits_per_update=self.edits / self.updates,
            prs_per_month=self.prs / months,
        )


def makespan_ratio(literals: Mapping[TestPath, float], night: Mapping[TestPath, float], size: int) -> float:
    """The largest partition's seconds over the least possible, packed by the literals; 1 for no work."""
    bound = max([sum(night.values()) / size, *night.values()])
    members = lpt({path: literals[path] for path in night}, size)
    return max(sum(night[path] for path in rank) for rank in members) / bound if bound else 1.0
