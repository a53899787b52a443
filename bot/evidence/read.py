"""Log files: measured (size, LF count, SHA-256) and parsed by the dialect that wrote them.

Streams; memory does not grow with the log. Says nothing about what became of a test.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from bot.domain import ParsedLog
from bot.evidence.dialects import detect
from bot.evidence.lines import blocks_of, chunks_of


@dataclass(frozen=True, slots=True)
class Measure:
    """Size in bytes, number of LF bytes, and SHA-256 (64 hex digits) of one log."""

    size: int
    lines: int
    sha256: str


def measure(path: Path) -> Measure:
    """Measure a log in one pass.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    size = lines = 0
    for chunk in chunks_of(path):
        digest.update(chunk)
        size += len(chunk)
        lines += chunk.count(b"\n")
    return Measure(size, lines, digest.hexdigest())


def parse(path: Path) -> ParsedLog | None:
    """What a log says, None where it is of no known dialect. Any bytes are accepted.

    Raises:
        OSError: it cannot be read.
    """
    dialect = detect(chunks_of(path))
    if dialect is None:
        return None
    scanner = dialect.scanner()
    for block in blocks_of(chunks_of(path)):
        scanner.feed(block)
    return scanner.finish()
