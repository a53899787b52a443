"""One suite job as a plan: which files it runs, and how each is made to end. No text of logs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.domain import CommitSha
from bot.sandbox.generator.spec import Event, Measured, SuiteSpec, TestSpec

FLOOR_S = 1800
FLOOR_WITH_RETRY_S = 2400


@dataclass(frozen=True, slots=True)
class JobPlan:
    """One suite job of one night: who runs which files, and how each ends."""

    name: str
    suite: SuiteSpec
    partition_id: int
    tests: tuple[tuple[TestSpec, Measured], ...]
    disabled: tuple[tuple[str, str], ...]
    head_sha: CommitSha
    runner_name: str
    started_at: datetime
    seed: str

    @property
    def succeeds(self) -> bool:
        """True where every file passes."""
        return all(measured.event in (Event.PASS, Event.RETRY) for _, measured in self.tests)


def limit_s(test: TestSpec, suite: SuiteSpec) -> int:
    """The runner's effective timeout of one file: `max(floor, int(est_time * 1.25))`, a higher floor with retry."""
    return max(FLOOR_WITH_RETRY_S if suite.retry else FLOOR_S, int(test.est * 1.25))
