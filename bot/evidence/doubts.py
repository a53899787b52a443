"""Finds passes whose own output says that nothing ran, or that tests failed all the same.

Reads the summaries of pytest and unittest between a file's Begin and End, whatever dialect the log
has. A row gets the doubt and the line that says it; what follows from a doubt is the calibration
stage's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bot.domain import Doubt, JobEvidence, ScheduledFile, Status
from bot.evidence.lines import blocks_of, payload
from bot.evidence.spans import Span, spans

_PYTEST_NEEDLES: Final = (b" passed", b" failed", b" skipped", b" error", b" deselected", b"no tests ran")
_NEEDLES: Final = (*_PYTEST_NEEDLES, b"Ran ", b"OK (", b"FAILED (")
_LONGEST: Final = 400  # bytes of a summary line with its transport prefix and colours
_MOST_HITS: Final = 200_000  # lines looked at closely in one log

# pytest: `=== 4 passed, 1 skipped in 3.11s ===`, quiet: `1 error in 902.11s (0:15:02)`
_PYTEST = re.compile(
    rb"(?:=+ )?(no tests ran|\d{1,7} [a-z]{4,12}(?:, \d{1,7} [a-z]{4,12}){0,12})"
    rb" in \d{1,7}\.\d\d?s(?: \([\d:]{4,12}\))?(?: =+)?"
)
_RAN = re.compile(rb"Ran (\d{1,7}) tests? in \d{1,7}\.\d{1,3}s")  # unittest
_OK = re.compile(rb"OK \([a-z= ,\d]{0,80}skipped=(\d{1,7})[a-z= ,\d]{0,80}\)")
_FAILED = re.compile(rb"FAILED \([a-z= ,\d]{0,120}\)")


@dataclass(slots=True)
class _Said:
    """What the summaries of one try of one file have said so far."""

    ran: int | None = None  # unittest's count, until its verdict
    worked: bool = False
    errors: int = 0  # the line, 0 for none; likewise below
    skipped: int = 0
    nothing: int = 0

    def take(self, number: int, line: bytes) -> None:
        if found := _PYTEST.fullmatch(line):
            self._pytest(number, found[1])
        elif found := _RAN.fullmatch(line):
            self.ran = int(found[1])
            self.nothing = self.nothing if self.ran else number
        elif found := _OK.fullmatch(line):
            skips = self.ran is not None and int(found[1]) >= self.ran
            self.skipped = number if skips else self.skipped
            self.worked = self.worked or not skips
        elif _FAILED.fullmatch(line):
            self.errors = number

    def _pytest(self, number: int, said: bytes) -> None:
        words = {part.split(b" ")[1] for part in said.split(b", ")} if said != b"no tests ran" else set()
        if words & {b"failed", b"error", b"errors"}:
            self.errors = number
        elif words & {b"passed", b"xfailed", b"xpassed"}:
            self.worked = True
        elif b"skipped" in words:
            self.skipped = number
        else:
            self.nothing = number

    def verdict(self) -> tuple[Doubt, int] | None:
        """The doubt and its line; None where tests ran and nothing failed, or where nothing was said."""
        if self.errors:
            return Doubt.ERRORS, self.errors
        if self.worked or not (self.skipped or self.nothing):
            return None
        return (Doubt.SKIPPED, self.skipped) if self.skipped else (Doubt.NO_TESTS, self.nothing)


def with_doubts(job: JobEvidence, path: Path) -> JobEvidence:
    """The job's rows, passed ones with what their output says against them. `path` is its log.

    Of a file that passed on a retry only the last summary counts: the ones before are the failed try's.

    Raises:
        OSError: the log cannot be read.
    """
    wanted = tuple(one for one in spans(job.rows) if one.row.status is Status.PASSED)
    if not wanted:
        return job
    with path.open("rb", buffering=0) as stream:
        said = _read(_summaries(lambda view: stream.readinto(view) or 0), wanted)
    if not said:
        return job
    return replace(job, rows=tuple(_doubted(row, said.get(row)) for row in job.rows))


def _doubted(row: ScheduledFile, said: tuple[Doubt, int] | None) -> ScheduledFile:
    return replace(row, doubt=said[0], doubt_line=said[1]) if said else row


def _read(lines: Iterator[tuple[int, bytes]], wanted: tuple[Span, ...]) -> dict[ScheduledFile, tuple[Doubt, int]]:
    found: dict[ScheduledFile, _Said] = {}
    at = 0
    for number, line in lines:
        while at < len(wanted) and number > wanted[at].last:
            at += 1
        if at == len(wanted):
            break
        row = wanted[at].row
        if number >= wanted[at].first:
            if row.tries > 1 and _PYTEST.fullmatch(line):
                found[row] = _Said()
            found.setdefault(row, _Said()).take(number, line)
    return {row: verdict for row, said in found.items() if (verdict := said.verdict())}


def _summaries(readinto: Callable[[memoryview], int]) -> Iterator[tuple[int, bytes]]:
    """Numbered lines that may be a summary, as their program printed them."""
    number, hits = 1, 0
    for buffer, end in blocks_of(readinto):
        block = bytes(buffer[:end])
        counted = 0
        for start in _starts(block):
            number += block.count(b"\n", counted, start)
            counted = start
            hits += 1
            if hits > _MOST_HITS:
                return
            stop = block.find(b"\n", start)
            raw = block[start : stop if stop >= 0 else end]
            if len(raw) <= _LONGEST:
                yield number, payload(raw).strip()
        number += block.count(b"\n", counted)


def _starts(block: bytes) -> list[int]:
    """Where the lines with a needle start, in order."""
    found: set[int] = set()
    for needle in _NEEDLES:
        at = block.find(needle)
        while at >= 0:
            found.add(block.rfind(b"\n", 0, at) + 1)
            line_end = block.find(b"\n", at)
            at = block.find(needle, line_end) if line_end >= 0 else -1
    return sorted(found)
