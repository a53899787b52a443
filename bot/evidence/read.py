"""Log files in one pass: size, LF count, SHA-256, and what the dialect that wrote them reads.

Streams; memory does not grow with the log. Says nothing about what became of a test.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from bot.domain import ParsedLog
from bot.evidence.dialects import detect
from bot.evidence.dialects.port import NOTHING_TOLD, Scanner, Told
from bot.evidence.lines import CHUNK_BYTES, blocks_of


@dataclass(frozen=True, slots=True)
class Reading:
    """Size in bytes, number of LF bytes, SHA-256 (64 hex digits); `parsed` None: of no known dialect."""

    size: int
    lines: int
    sha256: str
    parsed: ParsedLog | None


def read_log(path: Path, told: Told = NOTHING_TOLD) -> Reading:
    """Read a log. Any bytes are accepted.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb", buffering=0) as stream:
        dialect = detect(lambda: stream.read(CHUNK_BYTES), told)
        stream.seek(0)
        meter = _Meter(stream)
        scanner: Scanner | None = dialect.scanner(told) if dialect else None
        lines = 0
        for buffer, end in blocks_of(meter.readinto):
            if scanner:
                scanner.feed(buffer, end)
            else:
                lines += buffer.count(b"\n", 0, end)
    return Reading(
        size=meter.size,
        lines=scanner.lines if scanner else lines,
        sha256=meter.digest.hexdigest(),
        parsed=scanner.finish() if scanner else None,
    )


class _Meter:
    """Hashes and counts the bytes that go by."""

    def __init__(self, stream: FileIO) -> None:
        self.size = 0
        self.digest = hashlib.sha256()
        self._stream = stream

    def readinto(self, view: memoryview) -> int:
        got = self._stream.readinto(view) or 0
        self.digest.update(view[:got])
        self.size += got
        return got
