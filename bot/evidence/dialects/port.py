"""What a log dialect is: a plain module that satisfies `Dialect`, and the examples it carries.

Nothing here knows a concrete dialect; the table is in `bot.evidence.dialects`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain import LogNote, ParsedLog, Status


class Scanner(Protocol):
    """Reads one log, block by block."""

    @property
    def lines(self) -> int:
        """The LF bytes fed so far: whoever cites lines counts them, so nobody counts twice."""
        ...

    def feed(self, buffer: bytearray, end: int) -> None:
        """Take the next block of whole lines, the buffer's first `end` bytes.

        Only a log's last block may lack its final LF. The buffer is reused: keep none of it.
        """
        ...

    def finish(self) -> ParsedLog:
        """What the log said. Called once, after the last block. Never raises on any bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Example:
    """A tiny log of a dialect and what it means: documentation that is also a test.

    `rows` holds (path, status, elapsed_s) in plan order, for a job of conclusion `conclusion`.
    """

    name: str
    log: bytes
    rows: tuple[tuple[str, Status, int | None], ...]
    conclusion: str = "success"
    notes: tuple[LogNote, ...] = ()


class Dialect(Protocol):
    """One way in which a suite runner writes its timings.

    `MARKERS` are byte strings of which a log of this dialect holds at least one; a log without any
    is not read further.
    """

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant
        """The key of the table."""
        ...

    @property
    def MARKERS(self) -> Sequence[bytes]:  # noqa: N802 - a module's constant
        """What tells the dialect's logs from others."""
        ...

    @property
    def EXAMPLES(self) -> Sequence[Example]:  # noqa: N802 - a module's constant
        """What the dialect means, by example."""
        ...

    def scanner(self) -> Scanner:
        """A fresh reader for one log."""
        ...
