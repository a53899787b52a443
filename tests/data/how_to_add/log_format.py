"""A log format of a runner nobody has: `FERRY suite (2 files)`, then `FERRY took 12 s: tests/test_tern.py`."""

from __future__ import annotations

import re

from bot.domain import Backend, FileRecord, Outcome, ParsedLog, Plan, PlannedFile, Status, Suite, TestPath, Try
from bot.evidence.dialects.port import NOTHING_TOLD, Example, Told
from bot.evidence.lines import payload

NAME = "toy"
OVERRIDES: tuple[str, ...] = ()

_PLAN = re.compile(rb"FERRY (\S{1,80}) \(\d{1,6} files\)")
_TOOK = re.compile(rb"FERRY took (\d{1,7}) s: (\S{1,300})")


class Ferry:
    """Reads one log."""

    def __init__(self) -> None:
        self.lines = 0
        self._suite, self._plan_line = Suite(""), 0
        self._records: dict[TestPath, FileRecord] = {}

    def feed(self, buffer: bytearray, end: int) -> None:
        """Take whole lines."""
        for raw in bytes(buffer[:end]).splitlines():
            self.lines += 1
            line = payload(raw)
            plan, took = _PLAN.fullmatch(line), _TOOK.fullmatch(line)
            if plan:
                self._suite, self._plan_line = Suite(plan[1].decode()), self.lines
            elif took:
                one = Try(1, Outcome.PASS, int(took[1]), timing_line=self.lines, status_line=self.lines)
                self._records[TestPath(took[2].decode())] = FileRecord((one,), 1, passed_line=self.lines)

    def finish(self) -> ParsedLog:
        """What the log said."""
        files = tuple(PlannedFile(path, 0.0, self._plan_line) for path in self._records)
        plan = Plan(self._suite, Backend("cuda"), 0, 1, self._plan_line, files)
        return ParsedLog(NAME, plan, self._records, summary_line=self.lines)


def markers(told: Told) -> tuple[bytes, ...]:
    """What only its logs hold."""
    return (b"FERRY ",)


def scanner(told: Told = NOTHING_TOLD) -> Ferry:
    """A fresh reader."""
    return Ferry()


EXAMPLES = (
    Example(
        "toy: a file that passed",
        b"FERRY stage-a (1 files)\nFERRY took 12 s: tests/test_tern.py\n",
        (("tests/test_tern.py", Status.PASSED, 12),),
    ),
)
