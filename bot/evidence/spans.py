"""Which lines of a job's log belong to which scheduled file. Pure arithmetic on its rows' line numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain import ScheduledFile, Status

_END_OF_LOG = 1 << 62


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of one file's tries, both ends included, 1-based over LF."""

    row: ScheduledFile
    first: int
    last: int


def spans(rows: Iterable[ScheduledFile]) -> tuple[Span, ...]:
    """The stretch of each row that left a record, in log order; a file killed without one has what is left.

    A stretch ends with the file's last record: what its process wrote to stdout may stand between the
    End record, which is stderr, and the status line.
    """
    ended = sorted((row for row in rows if row.timing_line), key=lambda row: row.timing_line or 0)
    found: list[Span] = []
    after = 0
    for row in ended:
        last = max(row.timing_line or 0, row.status_line or 0)
        found.append(Span(row, max(after, row.plan_line) + 1, last))
        after = last
    killed = [row for row in rows if row.timing_line is None and row.status is Status.TIMEOUT]
    if killed:
        found.append(Span(killed[0], max(after, killed[0].plan_line) + 1, _END_OF_LOG))
    return tuple(found)
