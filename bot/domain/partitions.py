"""What the decisions of a suite come to: its partitions before and after, the totals of its labels.

Packing is `bot.calibration`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import Backend, RunId, Suite, TestPath


@dataclass(frozen=True, slots=True)
class PartitionLoad:
    """A suite packed into ranks. `loads_s[i]` is rank i's sum of estimates, `measured_s[i]` of measured seconds."""

    loads_s: tuple[float, ...]
    members: tuple[tuple[TestPath, ...], ...]
    measured_s: tuple[float, ...]

    @property
    def makespan_s(self) -> float:
        """The largest rank's measured sum, in seconds."""
        return max(self.measured_s, default=0.0)

    @property
    def imbalance(self) -> float:
        """Makespan over mean; 1.0 for an empty suite."""
        mean = sum(self.measured_s) / len(self.measured_s) if self.measured_s else 0.0
        return self.makespan_s / mean if mean else 1.0

    @property
    def idle_s(self) -> float:
        """Seconds that ranks wait for the fullest one: ranks x makespan - sum."""
        return len(self.measured_s) * self.makespan_s - sum(self.measured_s)

    def over(self, budget_s: float) -> tuple[int, ...]:
        """The ranks that take longer than a budget; none for a budget of 0."""
        return tuple(rank for rank, seconds in enumerate(self.measured_s) if seconds > budget_s > 0)


@dataclass(frozen=True, slots=True)
class RankCount:
    """A number of ranks and the makespan it gives, in seconds."""

    ranks: int
    makespan_s: float


@dataclass(frozen=True, slots=True)
class SuitePartitions:
    """One suite's partitions at the present literals and at the proposed ones.

    `longest` is the test that bounds the makespan however many ranks there are, `longest_s` its seconds.
    `supported` is the least number of ranks at the proposed literals that stays within the budget, or
    without one within the present makespan; None where no number does. `gpus` 0: the suite names none.
    """

    suite: Suite
    backend: Backend
    size: int
    before: PartitionLoad
    after: PartitionLoad
    run_id: RunId
    unmeasured: tuple[TestPath, ...] = ()  # nothing passed in the window: scored in proportion to their estimate
    gpus: int = 0
    longest: TestPath = TestPath("")
    longest_s: float = 0.0
    budget_s: int = 0  # 0: none
    supported: RankCount | None = None


@dataclass(frozen=True, slots=True)
class LabelTotal:
    """The estimates of all active tests that carry a label, with the literals and labels before and after."""

    label: str
    backend: Backend
    tests: int  # that carry it afterwards
    before_s: float  # of those tests, so that a label that is only added moves nothing
    after_s: float
    changed: int  # est_time literals among them


class NotPackedReason(StrEnum):
    """Why a suite's partitions could not be planned."""

    PLAN_MISSING = "plan_missing"  # no run of the window shows the plan of every rank
    NOTHING_MEASURED = "nothing_measured"  # no file of it has a sample


@dataclass(frozen=True, slots=True)
class NotPacked:
    """A partitioned suite without a plan before and after."""

    suite: Suite
    backend: Backend
    reason: NotPackedReason
    detail: str = ""
