"""A block of timings between two marker lines: one JSON object a file, each line as a log carries it.

Collects and checks the lines; what an entry means for a file is `meaning`'s part. A line that is
no object may be another stream's and is passed over; an object that is no entry makes the whole
block unreadable, for nothing says which file it was about.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Final

MAX_ENTRIES: Final = 20_000
MAX_LINES: Final = 100_000
MAX_ENTRY_BYTES: Final = 4_096
MAX_PATH: Final = 512
MAX_SECONDS: Final = 9_999_999
_AROUND: Final = b"=-#* "


def is_marker(line: bytes, marker: bytes) -> bool:
    """True for a line that holds the marker and nothing else but a rule around it."""
    return marker in line and line.strip(_AROUND) == marker.strip(_AROUND)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a block. `passed` is None where the line does not say it."""

    path: str
    elapsed_s: int
    passed: bool | None
    line: int


@dataclass(slots=True)
class Block:
    """A block as printed. `ended` is False for one whose second marker never came."""

    line: int
    entries: list[Entry] = field(default_factory=list)
    lines: int = 0
    broken: bool = False
    ended: bool = False

    @property
    def readable(self) -> bool:
        """True for a whole block with entries, none of them damaged."""
        return self.ended and not self.broken and bool(self.entries)

    def take(self, line: bytes, number: int) -> None:
        """Look at one line between the markers."""
        self.lines += 1
        if self.lines > MAX_LINES or len(self.entries) >= MAX_ENTRIES:
            self.broken = True
        if self.broken or not line.startswith(b"{"):
            return
        entry = entry_of(line, number)
        if entry is None:
            self.broken = True
        else:
            self.entries.append(entry)


def entry_of(line: bytes, number: int) -> Entry | None:
    """An entry with a path and whole or fractional seconds, None for anything else. Never raises."""
    if len(line) > MAX_ENTRY_BYTES:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    path, elapsed, passed = value.get("file"), value.get("elapsed"), value.get("passed")
    if not isinstance(path, str) or not 0 < len(path) <= MAX_PATH:
        return None
    if not isinstance(elapsed, int | float) or isinstance(elapsed, bool):
        return None
    if not math.isfinite(elapsed) or not 0 <= elapsed <= MAX_SECONDS:
        return None
    return Entry(path, round(elapsed), passed if isinstance(passed, bool) else None, number)
