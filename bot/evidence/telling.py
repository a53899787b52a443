"""Traces of a job's tests: out of its log on disk, or out of the lines that were kept of it.

A bounded number of lines a file is worth keeping, more where it hit its limit or nearly did. What one
line says is `bot.evidence.trace_reader`'s part; what follows from it, the calibration stage's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from bot.domain import JobEvidence, LogState, RowTrace, limit_kind
from bot.evidence.dialects import structured_block
from bot.evidence.lines import blocks_of
from bot.evidence.spans import Span, spans
from bot.evidence.trace_reader import TraceReader, hints
from bot.repo_config import RepoConfig

_PHASES_NEAR: Final = 64
_PHASES_ELSE: Final = 4

# A block of timings stands apart from what the tests printed: whose line is whose cannot be told.
_RECORDS_APART: Final = frozenset({structured_block.NAME})

Lines = Iterable[tuple[int, bytes]]


def telling_lines(job: JobEvidence, config: RepoConfig) -> Mapping[int, bytes]:
    """The lines of the job's log that its traces rest on, by 1-based number; none where it is not on disk."""
    if job.log.state is not LogState.PRESENT or not job.log.path or not job.rows:
        return {}
    try:
        with Path(job.log.path).open("rb", buffering=0) as stream:
            numbered = _numbered(lambda view: stream.readinto(view) or 0)
            found: dict[int, bytes] = {}
            for _, reader in _read(numbered, job, config):
                found |= reader.lines()
            return found
    except OSError:
        return {}


def traces(job: JobEvidence, lines: Mapping[int, bytes], config: RepoConfig) -> Mapping[int, RowTrace]:
    """What the lines say of each file, by plan index; files of which they say nothing are left out."""
    ordered = ((number, lines[number]) for number in sorted(lines))
    found = {span.row.plan_index: reader.trace() for span, reader in _read(ordered, job, config)}
    return {index: trace for index, trace in found.items() if trace != RowTrace()}


def _numbered(readinto: Callable[[memoryview], int]) -> Iterator[tuple[int, bytes]]:
    number = 0
    for buffer, end in blocks_of(readinto):
        pieces = bytes(memoryview(buffer)[:end]).split(b"\n")
        if not pieces[-1]:  # behind the last LF; only a log's last line may lack its own
            pieces.pop()
        yield from enumerate(pieces, start=number + 1)
        number += len(pieces)


def _read(lines: Lines, job: JobEvidence, config: RepoConfig) -> Iterator[tuple[Span, TraceReader]]:
    """Each file's stretch with the reader that has taken its lines."""
    telling = hints(config.timeouts)
    ahead = iter(() if job.dialect in _RECORDS_APART else spans(job.rows))
    span = next(ahead, None)
    reader = _reader(span, config) if span else None
    for number, line in lines:
        while span and reader and number > span.last:
            yield span, reader
            span = next(ahead, None)
            reader = _reader(span, config) if span else None
        if span is None or reader is None:
            return
        if number < span.first:
            continue
        if any(hint in line for hint in telling):
            reader.take(number, line)
        elif _launches(line, span):
            reader = _reader(span, config)  # only the last try counts
    if span and reader:
        yield span, reader


def _reader(span: Span, config: RepoConfig) -> TraceReader:
    near = limit_kind(span.row, config.timeout.rule(span.row.suite))
    return TraceReader(span.row.path, config.timeouts, _PHASES_NEAR if near else _PHASES_ELSE)


def _launches(line: bytes, span: Span) -> bool:
    """True for the command line with which the suite runner starts the file's process."""
    return line.rstrip(b"\r\n").endswith(span.row.path.encode()) and b"python" in line
