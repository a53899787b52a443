"""Which of the lines in the runner's form are the runner's own, and what they say about each file.

Tests print plans, timings, status lines and summaries themselves. A line counts only where it fits
the executed plan (path, position, size, estimate) and the order in which the runner writes its
stderr: Begin, End, Begin, End, …, summary. Where that leaves two readings, the file's record
carries a contradiction. What a record means for a file's status is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from bot.domain import (
    Backend,
    Contradiction,
    FileRecord,
    LogNote,
    Outcome,
    ParsedLog,
    Plan,
    PlannedFile,
    Suite,
    TestPath,
    Try,
)
from bot.evidence.dialects.suite_runner.records import Bracket, Header, Section, StatusLine, Timing

if TYPE_CHECKING:
    from bot.evidence.dialects.suite_runner.scan import Found, PlanBlock, SummaryBlock

NAME: Final = "suite_runner"
MAX_UNSCHEDULED: Final = 20
_NO_HEADER: Final = Header("", "", "", 0, 1)


def resolve(found: Found) -> ParsedLog:
    """Everything the log says, from the lines found in it."""
    block = _executed(found)
    plan = _plan(block) if block else None
    files = _Files(plan) if plan else _Files.empty()
    files.read(found)
    summary = None if found.overflow else _summary(found.summaries, files)
    return ParsedLog(
        dialect=NAME,
        plan=plan,
        records=files.records(summary),
        summary_line=summary.line if summary else None,
        tested_sha=found.head.checkouts[0].sha if found.head.checkouts else None,
        runner_name=found.head.runner_name,
        job_name=found.head.job_name,
        notes=_notes(found, block, files, summary),
        unscheduled=tuple(files.unscheduled),
        checkouts=tuple(found.head.checkouts),
    )


# -------------------------------------------------------------------------------- plan


def _executed(found: Found) -> PlanBlock | None:
    """The plan that was executed: the last one printed in the step of the first Begin, before it.

    stdout may come after stderr, so the plan may also follow that Begin. Where nothing began, and
    where that step printed none, the last plan before it stands.
    """
    if not found.plans:
        return None
    if not found.brackets:
        return found.plans[-1]
    line, step, _ = found.brackets[0]
    own = [plan for plan in found.plans if plan.step == step]
    before = [plan for plan in own if plan.line < line] or own[:1]
    return before[-1] if before else found.plans[-1]


def _plan(block: PlanBlock) -> Plan:
    header = block.header or _NO_HEADER
    return Plan(
        suite=Suite(header.suite),
        backend=Backend(header.backend),
        partition_id=header.partition_id,
        partition_size=header.partition_size,
        line=block.line,
        files=tuple(PlannedFile(TestPath(path), est_s, line, implicit) for path, est_s, implicit, line in block.files),
        disabled=tuple(TestPath(path) for path in block.disabled),
        cadence=header.cadence,
    )


# --------------------------------------------------------------------------- one file


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


# -------------------------------------------------------------------------- all files


class _Files:
    """The planned files and what the log records of each."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.size = len(plan.files)
        self.grown = {one.path: _Growing(one.path) for one in plan.files}
        self.unscheduled: list[TestPath] = []
        self.last_line = 0  # of the last accepted Begin or End
        self.running = 0  # Begin brackets without their End, over all files

    @classmethod
    def empty(cls) -> _Files:
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


# ----------------------------------------------------------------------------- summary


def _summary(blocks: list[SummaryBlock], files: _Files) -> SummaryBlock | None:
    """The runner's own final summary: after the last Begin and End, about this plan; the last wins.

    A summary without its header line is taken only where no block has one.
    """
    late = [block for block in blocks if block.line > files.last_line and _about(block, files)]
    return next(
        (block for block in reversed(late) if block.total is not None),
        next((block for block in reversed(late) if block.total is None), None),
    )


def _about(block: SummaryBlock, files: _Files) -> bool:
    """True where counts and names fit, and a file that never ended is listed as failed."""
    passed = [path for path, _, _ in block.lists.get(Section.PASSED, []) if path in files.grown]
    failed = {path for path, _, _ in block.lists.get(Section.FAILED, [])}
    unended = {path for path, grown in files.grown.items() if grown.unfinished}
    if not unended <= failed:
        return False
    if block.total is None:
        return all(path in files.grown for path, _, _ in block.lists.get(Section.PASSED, []))
    if block.total != files.size or len(passed) > (block.passed or 0):
        return False
    return not block.closed or len(passed) == block.passed


def _listed(summary: SummaryBlock | None, section: Section) -> dict[str, tuple[str, int]]:
    """Path to (reason, line) of one list."""
    return {path: (reason, line) for path, reason, line in summary.lists.get(section, [])} if summary else {}


# ------------------------------------------------------------------------------- notes


def _notes(found: Found, block: PlanBlock | None, files: _Files, summary: SummaryBlock | None) -> tuple[LogNote, ...]:
    notes: list[LogNote] = []
    if block is None:
        notes.append(LogNote.NO_TESTS if found.no_tests else LogNote.NO_PLAN)
    elif not block.announced:
        notes.append(LogNote.NO_TESTS)
    elif _in_one_session(found, block, files):
        notes.append(LogNote.NO_PER_FILE_TIMING)
    elif summary is None:
        notes.append(LogNote.NO_SUMMARY)
    if block and not block.complete:
        notes.append(LogNote.PLAN_SHORT)
    if block and any(_differs(other, block) for other in found.plans if other.line < block.line):
        notes.append(LogNote.PLANS_DIFFER)
    if found.overflow:
        notes.append(LogNote.TOO_MANY_RECORDS)
    return tuple(notes)


def _in_one_session(found: Found, block: PlanBlock, files: _Files) -> bool:
    """CPU suites run in one pytest process (`build_cpu_pytest_cmd` of the runner)."""
    cpu = block.header is not None and block.header.backend == "cpu"
    return (cpu or found.session) and not files.any_record


def _differs(other: PlanBlock, block: PlanBlock) -> bool:
    """Two plans of one partition that list different files or estimates."""
    if (other.header or _NO_HEADER) != (block.header or _NO_HEADER):
        return False
    return [entry[:2] for entry in other.files] != [entry[:2] for entry in block.files]
