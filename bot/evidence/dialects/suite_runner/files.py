"""Which records are the runner's own, file by file.

A record counts only where it fits the executed plan (path, position, size, estimate) and the order
in which the runner writes its stderr: Begin, End, Begin, End, and so on. Where that leaves two
readings, the file carries a contradiction. Plans and summaries are `resolve`'s part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bot.domain import Backend, Contradiction, FileRecord, Outcome, Plan, Suite, TestPath, Try
from bot.evidence.dialects.suite_runner.found import Found, SummaryBlock
from bot.evidence.dialects.suite_runner.records import Bracket, Section, StatusLine, Timing

MAX_UNSCHEDULED: Final = 20


@dataclass(slots=True)
class _Growing:
    """One planned file while its records are read in line order."""

    path: TestPath
    begun: int = 0
    unfinished: int = 0  # Begin brackets without their End
    tries: list[Try] = field(default_factory=list)
    answered: int = 0  # leading tries that have their status line
    contradiction: Contradiction | None = None

    def begin(self) -> None:
        self.begun += 1
        self.unfinished += 1

    def end(self, line: int, timing: Timing) -> None:
        self.unfinished = max(0, self.unfinished - 1)
        self.tries.append(Try(len(self.tries) + 1, elapsed_s=timing.elapsed_s, timing_line=line))

    def status(self, line: int, status: StatusLine) -> None:
        """Give the status to the first try without one.

        A try may lack its End: the runner raised (FAIL without an exit code), or the killed test
        would not die (TIMEOUT).
        """
        if self.answered < len(self.tries):
            self.tries[self.answered] = _with_status(self.tries[self.answered], line, status)
            self.answered += 1
            return
        endless = status.outcome is Outcome.TIMEOUT or (status.outcome is Outcome.FAIL and status.exit_code is None)
        if endless and (self.unfinished or not self.begun):
            self.tries.append(_with_status(Try(len(self.tries) + 1), line, status))
            self.answered += 1
        elif not self.unfinished:  # while a test runs, its own output may say anything
            self.contradiction = Contradiction.MORE_STATUSES_THAN_ENDS


def _with_status(one: Try, line: int, status: StatusLine) -> Try:
    return Try(one.number, status.outcome, one.elapsed_s, status.elapsed_s, status.exit_code, one.timing_line, line)


class Files:
    """The planned files and what the log records of each."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.size = len(plan.files)
        self.grown = {one.path: _Growing(one.path) for one in plan.files}
        self.unscheduled: list[TestPath] = []
        self.last_line = 0  # of the last accepted Begin or End
        self.running = 0  # Begin brackets without their End, over all files

    @classmethod
    def empty(cls) -> Files:
        """No plan: no file is known."""
        return cls(Plan(Suite(""), Backend(""), 0, 1, 0, ()))

    def read(self, found: Found) -> None:
        """Take the brackets, timings and status lines that fit the plan, in line order."""
        begins = _unglued([(line, b, b.index, b.glued) for line, _, b in found.brackets if self._fits(b)])
        ends = _unglued([(line, t, t.path, t.glued) for line, b, t in found.timings if self._times(b, t)])
        statuses = _unglued([(line, s, s.path, s.glued) for line, s in found.statuses if self._states(s)])
        every: list[tuple[int, Bracket | Timing | StatusLine]] = [*begins, *ends, *statuses]
        for line, record in sorted(every, key=lambda pair: pair[0]):
            if isinstance(record, Bracket):
                self.grown[self.plan.files[record.index].path].begin()
                self.running += 1
                self.last_line = line
            elif isinstance(record, Timing):
                self._end(line, record)
            else:
                self.grown[TestPath(record.path)].status(line, record)
        if found.overflow:
            for grown in self.grown.values():
                grown.contradiction = Contradiction.TOO_MANY_RECORDS

    def _fits(self, bracket: Bracket) -> bool:
        return bracket.last == self.size - 1 and bracket.index < self.size

    def _times(self, bracket: Bracket, timing: Timing) -> bool:
        """An End of a planned file: at its position, with the estimate the plan shows."""
        if not self._fits(bracket):
            return False
        entry = self.plan.files[bracket.index]
        if timing.path not in self.grown and timing.est_s == entry.est_s and len(self.unscheduled) < MAX_UNSCHEDULED:
            self.unscheduled.append(TestPath(timing.path))
        return entry.path == timing.path and entry.est_s == timing.est_s

    def _states(self, status: StatusLine) -> bool:
        """A status line of a planned file, at its position (which counts from one)."""
        fits = status.total == self.size and 1 <= status.number <= self.size
        return fits and self.plan.files[status.number - 1].path == status.path

    def _end(self, line: int, timing: Timing) -> None:
        """Accept an End of the file that is running, or of one whose Begin the log does not show.

        Another file's End while a test runs is that test's output.
        """
        grown = self.grown[TestPath(timing.path)]
        idle = self.running == 0
        if grown.unfinished or (idle and not grown.begun):
            self.running -= grown.unfinished > 0
            grown.end(line, timing)
            self.last_line = line
        elif idle:
            grown.contradiction = Contradiction.MORE_ENDS_THAN_BEGINS

    def records(self, summary: SummaryBlock | None) -> Mapping[TestPath, FileRecord]:
        """The files that the log says anything about beyond the plan."""
        passed = _listed(summary, Section.PASSED)
        failed = _listed(summary, Section.FAILED)
        return {
            path: FileRecord(
                tries=tuple(grown.tries),
                begun=grown.begun,
                passed_line=passed[path][1] if path in passed else None,
                failed_line=failed[path][1] if path in failed else None,
                failed_reason=failed[path][0] if path in failed else "",
                contradiction=grown.contradiction,
            )
            for path, grown in self.grown.items()
            if grown.tries or grown.begun or grown.contradiction or path in passed or path in failed
        }

    @property
    def any_record(self) -> bool:
        """True where any file began, ended or has a status."""
        return any(grown.begun or grown.tries for grown in self.grown.values())


_Record = TypeVar("_Record", Bracket, Timing, StatusLine)


def _unglued(found: Iterable[tuple[int, _Record, str | int, bool]]) -> list[tuple[int, _Record]]:
    """Lines glued to other text count only for a file that has no line of its own."""
    entries = list(found)
    exact = {name for _, _, name, glued in entries if not glued}
    return [(line, record) for line, record, name, glued in entries if not glued or name not in exact]


def _listed(summary: SummaryBlock | None, section: Section) -> dict[str, tuple[str, int]]:
    """Path to (reason, line) of one list."""
    return {path: (reason, line) for path, reason, line in summary.lists.get(section, [])} if summary else {}
