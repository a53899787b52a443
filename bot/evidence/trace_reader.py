"""Reads one test's output, line by line, for how its time was spent; and remembers the lines that say it.

Bounded in what it keeps: fed the remembered lines again, it says the same. Judges nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from typing import Final

from bot.domain import LaunchFact, MatrixPart, PhaseTime, Progress, RowTrace, TestPath
from bot.evidence.lines import payload
from bot.patterns import MAX_LINE, compiled
from bot.repo_config.logs import FactPattern, Timeouts

MAX_PARTS: Final = 64
MAX_RESTARTS: Final = 16
_STEP: Final = "step"  # the phase that is the whole of a step
_PHASE = re.compile(rb"'perf/([A-Za-z0-9_]{1,60})_time': ([0-9]{1,9}(?:\.[0-9]{1,6})?)")
_PART = re.compile(rb"\[[0-9]{1,4}/[0-9]{1,4}\] (\S.{0,198}?) {1,4}(PASS|FAIL) {1,4}elapsed=([0-9]{1,7})s$")
_HINTS = (b"'perf/", b"elapsed=")


def hints(settings: Timeouts) -> tuple[bytes, ...]:
    """Texts of which a line that says anything holds at least one."""
    texts = [compiled(text).hint for text in settings.progress]
    for fact in settings.facts:
        texts += [compiled(fact.text).hint, fact.within.encode()]
    return tuple(dict.fromkeys((*_HINTS, *filter(None, texts))))


class TraceReader:
    """The output of one try of the file `path`. `most_phases` bounds how many perf dictionaries are looked at."""

    def __init__(self, path: TestPath, settings: Timeouts, most_phases: int) -> None:
        self._path = path.encode()
        self._progress = [_ProgressCount(text) for text in settings.progress]
        self._facts = [_Fact(pattern) for pattern in settings.facts]
        self._phases = _Phases(most_phases)
        self._parts: dict[str, MatrixPart] = {}
        self._part_lines: dict[int, bytes] = {}

    def take(self, number: int, line: bytes) -> None:
        """Look at one line of the log as it is there."""
        line = line[:MAX_LINE]
        text = payload(line)
        for count in self._progress:
            count.take(number, line, text)
        for fact in self._facts:
            fact.take(number, line, text)
        if b"'perf/" in text:
            self._phases.take(number, line, text)
        part = _PART.match(text) if b"elapsed=" in text and len(self._part_lines) < MAX_PARTS else None
        if part and part[1] != self._path:  # the suite runner's own line about the file
            name = part[1].decode("utf-8", "replace")
            self._parts[name] = MatrixPart(name, int(part[3]), part[2] == b"PASS", number)
            self._part_lines[number] = line

    def trace(self) -> RowTrace:
        """What the lines said."""
        reached = next((count.value() for count in self._progress if count.value()), None)
        return RowTrace(
            progress=reached,
            phases=self._phases.value(),
            facts=tuple(value for fact in self._facts if (value := fact.value())),
            parts=tuple(self._parts.values()),
        )

    def lines(self) -> Mapping[int, bytes]:
        """The lines that the trace rests on."""
        found = self._phases.lines() | self._part_lines
        for count in self._progress:
            found |= count.lines()
        for fact in self._facts:
            found |= fact.lines()
        return found


class _ProgressCount:
    """The last count of one pattern, and how often it began again."""

    def __init__(self, text: str) -> None:
        self._pattern = compiled(text)
        self._unit = text.partition("{")[0].strip()
        self._last: Progress | None = None
        self._line = b""
        self._seams: deque[dict[int, bytes]] = deque(maxlen=MAX_RESTARTS)  # the lines on both sides of a restart

    def take(self, number: int, line: bytes, text: bytes) -> None:
        found = self._pattern.search(text)
        if found is None:
            return
        done, total = int(found["done"]), int(found["total"])
        restarts = self._last.restarts if self._last else 0
        if self._last and done < self._last.done:
            self._seams.append({self._last.line: self._line, number: line})
            restarts = min(restarts + 1, MAX_RESTARTS)
        self._last, self._line = Progress(self._unit, done, total, number, restarts), line

    def value(self) -> Progress | None:
        return self._last

    def lines(self) -> dict[int, bytes]:
        found = {self._last.line: self._line} if self._last else {}
        for seam in self._seams:
            found |= seam
        return found


class _Fact:
    """The first line that states one fact; or the first that could have, and does not."""

    def __init__(self, pattern: FactPattern) -> None:
        self._given = pattern
        self._pattern = compiled(pattern.text)
        self._found: LaunchFact | None = None
        self._beside = 0  # the first line that holds `within`
        self._lines: dict[int, bytes] = {}

    def take(self, number: int, line: bytes, text: bytes) -> None:
        if self._found or self._given.within.encode() not in text:
            return
        found = self._pattern.search(text)
        if found is not None:
            self._found = LaunchFact(self._given.name, found.get("value", "on"), number)
            self._lines = {number: line}
        elif self._given.absent and self._given.within and not self._beside:
            self._beside, self._lines = number, {number: line}

    def value(self) -> LaunchFact | None:
        return self._found or (LaunchFact(self._given.name, self._given.absent, 0) if self._beside else None)

    def lines(self) -> dict[int, bytes]:
        return self._lines


class _Phases:
    """Perf dictionaries: all of them while they are few, then every second, every fourth, and so on."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[int, tuple[bytes, dict[str, float]]] = {}
        self._stride = 1
        self._seen = 0

    def take(self, number: int, line: bytes, text: bytes) -> None:
        if self._seen % self._stride == 0 and (phases := _phases(text)):
            self._kept[number] = (line, phases)
        self._seen += 1
        if len(self._kept) > self._most:
            self._kept = dict(list(self._kept.items())[::2])
            self._stride *= 2

    def value(self) -> tuple[PhaseTime, ...]:
        count = len(self._kept)
        sums: dict[str, float] = {}
        for _, phases in self._kept.values():
            for name, seconds in phases.items():
                sums[name] = sums.get(name, 0.0) + seconds
        whole = sums.pop(_STEP, 0.0) or sum(sums.values())
        found = (PhaseTime(name, round(each / count, 2), round(each / whole, 3)) for name, each in sums.items() if each)
        return tuple(sorted(found, key=lambda phase: (-phase.seconds, phase.name)))

    def lines(self) -> dict[int, bytes]:
        return {number: line for number, (line, _) in self._kept.items()}


def _phases(text: bytes) -> dict[str, float]:
    return {name.decode(): float(seconds) for name, seconds in _PHASE.findall(text)}
