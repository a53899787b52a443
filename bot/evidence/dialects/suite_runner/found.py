"""What a scan of one log collects: plans, records and summaries that have the runner's form.

Holds them in line order; whether they are the runner's own is `resolve`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from bot.evidence.dialects.actions import ActionsHead
from bot.evidence.dialects.suite_runner.records import Bracket, Header, Section, StatusLine, Timing

INTRUDERS: Final = 2_000  # lines of the other stream inside a plan or a summary


@dataclass(slots=True)
class PlanBlock:
    """A plan as printed. `step` counts the job's steps, so that a list-only plan is told apart."""

    line: int
    step: int
    header: Header | None
    announced: int
    disabled: tuple[str, ...] = ()
    files: list[tuple[str, float, bool, int]] = field(default_factory=list)  # path, estimate, implicit, line
    patience: int = INTRUDERS

    @property
    def complete(self) -> bool:
        """True where as many files were listed as announced."""
        return len(self.files) >= self.announced


@dataclass(slots=True)
class SummaryBlock:
    """A summary as printed; `passed` and `total` are None where its header line is missing."""

    line: int
    passed: int | None
    total: int | None
    lists: dict[Section, list[tuple[str, str, int]]] = field(default_factory=dict)  # path, reason, line
    section: Section | None = None
    rules: int = 0  # lines of `====` seen
    patience: int = INTRUDERS
    closed: bool = False


@dataclass(slots=True)
class Found:
    """Everything of one log that has the runner's form, in line order."""

    head: ActionsHead = field(default_factory=ActionsHead)
    plans: list[PlanBlock] = field(default_factory=list)
    brackets: list[tuple[int, int, Bracket]] = field(default_factory=list)  # line, step, Begin brackets only
    timings: list[tuple[int, Bracket, Timing]] = field(default_factory=list)
    statuses: list[tuple[int, StatusLine]] = field(default_factory=list)
    summaries: list[SummaryBlock] = field(default_factory=list)
    session: bool = False
    no_tests: bool = False
    overflow: bool = False
