"""What a page shows of the store, as frozen values: nights, tests, edits, and one test's rows with their verdicts.

No I/O and no words for people here; `bot.store` reads these, `bot.dashboard` shows them. Seconds everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from bot.domain import (
    CommitSha,
    Decision,
    Identity,
    Job,
    PolicyStamp,
    RegistrationKey,
    RejectionReason,
    Run,
    Status,
    Suite,
)
from bot.records.measurements import KnownTiming
from bot.records.publications import Publication
from bot.records.work import TaskOutcome

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """Which part of a list is asked for: at most `limit` items after the first `offset`."""

    limit: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """Part of a list. `more` says that there are items after these."""

    items: tuple[T, ...]
    more: bool = False

    @classmethod
    def of(cls, found: tuple[T, ...], span: Span) -> Listed[T]:
        """The span's items of what was read for it: one more than asked tells that there are more."""
        return cls(found[: span.limit], len(found) > span.limit)


@dataclass(frozen=True, slots=True)
class Held:
    """How the runs of a night stood to their literals: passes and runs killed at their limit, each once.

    `within_literal` are passes at or below the literal that the runner read, `within_limit` passes
    below the effective timeout of that literal.
    """

    passed: int = 0
    timed_out: int = 0
    within_literal: int = 0
    within_limit: int = 0

    @property
    def runs(self) -> int:
        """How many runs are looked at."""
        return self.passed + self.timed_out

    @property
    def literal_share(self) -> float | None:
        """The share of runs at or below their literal, None without runs."""
        return self.within_literal / self.runs if self.runs else None

    @property
    def limit_share(self) -> float | None:
        """The share of runs below their effective timeout, None without runs."""
        return self.within_limit / self.runs if self.runs else None


@dataclass(frozen=True, slots=True)
class NightOverview:
    """One night: its newest attempt, what became of the scheduled files, and how its task ended."""

    run: Run
    attempts: int
    statuses: Mapping[Status, int]  # copies of an earlier attempt's jobs left out
    held: Held
    partial: tuple[Suite, ...] = ()
    outcome: TaskOutcome | None = None  # None: no task about it has ended
    evaluated: int | None = None  # the newest attempt whose own task made an evaluation that is kept


@dataclass(frozen=True, slots=True)
class KeyOverview:
    """One key over the newest nights. `literal` is the largest that a runner read, `slowest_s` None without a pass."""

    key: RegistrationKey
    literal: float
    passes: int
    timeouts: int
    slowest_s: int | None = None


@dataclass(frozen=True, slots=True)
class EvaluationHead:
    """The facts of a stored evaluation that need none of its parts."""

    evaluation_id: str
    base: str
    base_sha: CommitSha
    policy: str
    report_only: str
    evaluated_at: datetime


@dataclass(frozen=True, slots=True)
class PullRequestEdits:
    """One pull request of ours: its newest commit, and how many literals that raises and lowers."""

    publication: Publication
    raises: int
    lowers: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the newest evaluation that looked at a row made of it. `reason` None: it is a sample."""

    reason: RejectionReason | None = None
    detail: str = ""
    identity: Identity | None = None


@dataclass(frozen=True, slots=True)
class JudgedTiming:
    """One row of a key with its run, its verdict, and whether the log lines it cites are kept."""

    timing: KnownTiming
    run: Run
    verdict: Verdict | None = None  # None: no evaluation has looked at it
    decides: bool = False  # the last decision rests on it
    lines_kept: bool = False
    policy: PolicyStamp | None = None  # under which the row was first looked at


@dataclass(frozen=True, slots=True)
class KeyPage:
    """Rows of some nights of a key, newest night first. `cut` says that these nights have more rows than are shown."""

    rows: tuple[JudgedTiming, ...]
    more: bool = False  # there are older nights
    cut: bool = False


@dataclass(frozen=True, slots=True)
class LastDecision:
    """The last decision about a key, and the evaluation that made it."""

    head: EvaluationHead
    decision: Decision  # with its samples left out


@dataclass(frozen=True, slots=True)
class KeptLog:
    """The lines of one job's log that rows cite, by 1-based number, kept for when GitHub has dropped the log."""

    run: Run
    job: Job
    lines: Mapping[int, str]
