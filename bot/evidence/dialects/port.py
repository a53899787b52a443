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
class Told:
    """What is known of a log before it is read.

    `repository` is the owner/name whose tests ran, "" where any checkout may be theirs. `dialects`
    are the names that may read it, empty: all. `roots` are absolute directories that hold the
    checkout where the log does not show it. `begin` and `end` are the texts of a timing block's markers.
    """

    repository: str = ""
    dialects: tuple[str, ...] = ()
    begin: str = "TIMINGS BEGIN"
    end: str = "TIMINGS END"
    roots: tuple[str, ...] = ()


NOTHING_TOLD = Told()


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

    A log holds at least one of its dialect's `markers`; a log without any of them is not read further.
    Where a log holds markers of several, the first one tells its dialect. A dialect that `OVERRIDES`
    another reads that one's logs too: its own records win where the log has any.
    """

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant
        """The key of the table."""
        ...

    @property
    def OVERRIDES(self) -> Sequence[str]:  # noqa: N802 - a module's constant
        """Names of dialects whose logs this one reads too, and whose records count for nothing beside its own."""
        ...

    @property
    def EXAMPLES(self) -> Sequence[Example]:  # noqa: N802 - a module's constant
        """What the dialect means, by example."""
        ...

    def markers(self, told: Told) -> Sequence[bytes]:
        """What tells the dialect's logs from others."""
        ...

    def scanner(self, told: Told) -> Scanner:
        """A fresh reader for one log."""
        ...
