"""Finds the suite runner's lines in a stream of blocks, fast, in bounded memory.

Up to the first executed test every line is looked at. From then on a test's output goes by at the
speed of `bytes.find`: only lines that hold a needle are looked at, the few lines before a timing,
and a stretch after each record, where the runner speaks on: up to the next Begin, or the summary.
What was found is judged by `resolve`.
"""

from __future__ import annotations

from typing import Final

from bot.domain import ParsedLog
from bot.evidence.dialects.suite_runner import records
from bot.evidence.dialects.suite_runner.found import Found, PlanBlock, SummaryBlock
from bot.evidence.dialects.suite_runner.records import Bracket, Header, StatusLine, Timing
from bot.evidence.dialects.suite_runner.resolve import resolve
from bot.evidence.dialects.suite_runner.vocabulary import Vocabulary
from bot.evidence.lines import payload

MAX_RECORDS: Final = 50_000  # brackets, timings and status lines of one log
MAX_PLANS: Final = 16
MAX_SUMMARIES: Final = 64
LINES_AFTER_RECORD: Final = 128
LINES_AFTER_BEGIN: Final = 4  # the runner has spoken on: what follows is the next test's own output
END_TO_TIMING: Final = 16  # lines of the other stream between an End bracket and its timing
LOOK_BACK_BYTES: Final = 4_096


class SuiteScanner:
    """One log's reader; see `bot.evidence.dialects.port.Scanner`.

    `more_needles` are further texts whose lines a subclass looks at between tests.
    """

    def __init__(self, vocabulary: Vocabulary = records, more_needles: tuple[bytes, ...] = ()) -> None:
        self.found = Found()
        self._say = vocabulary
        self._flying_needles = tuple(vocabulary.IN_FLIGHT_NEEDLES)
        self._needles = (*vocabulary.NEEDLES, *more_needles)
        self._timing_needle = vocabulary.IN_FLIGHT_NEEDLES[0]
        self._line = 1  # number of the line at the reading position
        self._step = 0
        self._header: Header | None = None
        self._disabled: list[str] = []
        self._plan: PlanBlock | None = None  # being collected
        self._summary: SummaryBlock | None = None  # being collected
        self._end: tuple[int, Bracket] | None = None  # waits for its timing
        self._alert = 0  # lines still to be looked at one by one
        self._executing = False
        self._in_flight = False  # the last record was a Begin
        self._tail = b""  # of the block before

    @property
    def lines(self) -> int:
        """The LF bytes fed so far."""
        return self._line - 1

    def feed(self, buffer: bytearray, end: int) -> None:
        """Take the next block of whole lines."""
        position = 0
        cursors = dict.fromkeys(self._needles, -2)  # where each needle is next; -1: nowhere in this block
        while position < end:
            start = position if self._watching() else self._skim(buffer, position, end, cursors)
            if start >= end:
                break
            stop = buffer.find(b"\n", start, end) + 1
            self._take(bytes(buffer[start : stop or end]))
            self._line += stop > 0
            position = stop or end
        self._tail = bytes(buffer[max(0, end - LOOK_BACK_BYTES) : end])

    def finish(self) -> ParsedLog:
        """What the log said."""
        return resolve(self.found)

    def _watching(self) -> bool:
        """True where every line counts: before execution, in a plan or summary, after a record."""
        return not self._executing or self._alert > 0 or self._plan is not None or self._summary is not None

    def _skim(self, buffer: bytearray, position: int, end: int, cursors: dict[bytes, int]) -> int:
        """Pass over lines without a needle; the start of the next line with one, or `end`."""
        hit = end
        for needle in self._flying_needles if self._in_flight else self._needles:
            if cursors[needle] != -1 and cursors[needle] < position:
                cursors[needle] = buffer.find(needle, position, end)
            if 0 <= cursors[needle] < hit:
                hit = cursors[needle]
        start = hit if hit == end else max(position, buffer.rfind(b"\n", position, hit) + 1)
        self._line += buffer.count(b"\n", position, start)
        if hit == cursors[self._timing_needle]:
            self._look_back(buffer, position, start)
        return start

    def _look_back(self, buffer: bytearray, position: int, start: int) -> None:
        """Find a timing's End bracket in the lines that were passed over right before it."""
        passed = bytes(buffer[max(position, start - LOOK_BACK_BYTES) : start])
        if position == 0 and len(passed) < LOOK_BACK_BYTES:
            passed = self._tail + passed
        for back, raw in enumerate(reversed(passed.split(b"\n")[-END_TO_TIMING - 1 : -1]), start=1):
            bracket = self._say.bracket(payload(raw))
            if bracket:
                self._end = None if bracket.begins else (self._line - back, bracket)
                return

    def _take(self, raw: bytes) -> None:
        """Look at one line and keep what it records."""
        self._alert -= self._alert > 0
        line = payload(raw)
        if not self._executing:
            self._take_prologue(line)
        if self._take_record(line) or (self._summary and self._take_summary(self._summary, line)):
            return
        if self._plan:
            self._take_planned(self._plan, line)
        elif (announced := self._say.enabled(line)) is not None:
            self._open_plan(announced)
        elif counts := self._say.summary(line):
            self._open_summary(SummaryBlock(self._line, *counts))
        elif self._alert and (section := self._say.section(line)):
            self._open_summary(SummaryBlock(self._line, None, None, {section: []}, section, rules=1))

    def _take_prologue(self, line: bytes) -> None:
        self.found.head.take(line)
        if line.startswith(records.STEP):
            self._step += 1
            self._header, self._disabled = None, []
        elif header := self._say.header(line):
            self._header, self._disabled = header, []
            self._plan = None
        elif line.startswith(b"  - ") and (path := self._say.disabled(line)):
            self._disabled.append(path)
        elif line.startswith(records.SESSION):
            self.found.session = bool(self.found.plans)
        elif line == self._say.NO_TESTS:
            self.found.no_tests = True
            if self._header:
                self._open_plan(0)

    def _open_plan(self, announced: int) -> None:
        if self.found.timings or len(self.found.plans) >= MAX_PLANS:
            return  # a plan that a test prints
        plan = PlanBlock(self._line, self._step, self._header, announced, tuple(self._disabled))
        self.found.plans.append(plan)
        self.found.session = False
        self._plan = None if plan.complete else plan

    def _take_planned(self, plan: PlanBlock, line: bytes) -> None:
        """Collect a plan by its count: lines of the other stream may stand between its own."""
        if entry := self._say.planned(line):
            plan.files.append((*entry, self._line))
        elif (announced := self._say.enabled(line)) is not None:
            self._plan = None
            self._open_plan(announced)
            return
        else:
            plan.patience -= 1
        if plan.complete or plan.patience <= 0:
            self._plan = None

    def _open_summary(self, summary: SummaryBlock) -> None:
        self._summary = summary
        self.found.summaries.append(summary)
        del self.found.summaries[:-MAX_SUMMARIES]

    def _take_summary(self, summary: SummaryBlock, line: bytes) -> bool:
        """True where the line belongs to the open summary."""
        summary.patience -= 1
        if line == records.RULE:
            summary.rules += 1
            summary.closed = summary.rules >= 2
        elif section := self._say.section(line):
            summary.section = section
            summary.lists.setdefault(section, [])
        elif summary.section and (entry := self._say.item(line)):
            summary.lists[summary.section].append((*entry, self._line))
        elif self._say.summary(line):
            self._summary = None
            return False
        elif summary.total is None and line:
            summary.closed = True  # without a header, nothing but the lists belongs to it
        if summary.closed or summary.patience <= 0:
            self._summary = None
        return True

    def _take_record(self, line: bytes) -> bool:
        """Brackets, timings and status lines; True where the line is one."""
        if line.endswith(b"):") and (bracket := self._say.bracket(line)):
            self._take_bracket(bracket)
        elif self._timing_needle in line and (timing := self._say.timing(line)):
            self._take_timing(timing)
        elif b"  elapsed=" in line and (status := self._say.status(line)):
            self._take_status(status)
        else:
            return False
        return True

    def _take_bracket(self, bracket: Bracket) -> None:
        if not bracket.begins:
            self._end = (self._line, bracket)
        elif self._room():
            self.found.brackets.append((self._line, self._step, bracket))
            self._in_flight = True
            self._alert = min(self._alert, LINES_AFTER_BEGIN)
            self._execute()

    def _take_timing(self, timing: Timing) -> None:
        """A timing counts only after an End bracket, which it uses up."""
        if self._end and self._line - self._end[0] <= END_TO_TIMING and self._room():
            self.found.timings.append((self._line, self._end[1], timing))
            self._execute()
            self._in_flight = False
            self._alert = LINES_AFTER_RECORD
        self._end = None

    def _take_status(self, status: StatusLine) -> None:
        if self._room():
            self.found.statuses.append((self._line, status))
            self._in_flight = False
            self._alert = LINES_AFTER_RECORD

    def _execute(self) -> None:
        """Execution has begun where this step printed its plan; stderr may come before that plan."""
        self._executing = self._executing or any(plan.complete and plan.step == self._step for plan in self.found.plans)

    def _room(self) -> bool:
        found = self.found
        if len(found.brackets) + len(found.timings) + len(found.statuses) >= MAX_RECORDS:
            found.overflow = True
        return not found.overflow
