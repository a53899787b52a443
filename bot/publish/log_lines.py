"""Reads the cited lines out of logs on disk, each log once, in bounded memory.

The one module of this stage that opens files. Which lines are wanted and how they are written down
is `bot.publish.lines`' part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from bot.publish.lines import LINE_LIMIT, CitedLog, CitedText

_CHUNK = 1 << 20  # bytes


def cited_texts(logs: Sequence[CitedLog]) -> Mapping[str, Mapping[int, CitedText]]:
    """The cited lines of every log that can be opened, by the log's `source`.

    A log without a path, or one that is gone or unreadable by now, is left out.
    """
    found: dict[str, Mapping[int, CitedText]] = {}
    for log in logs:
        if not log.path:
            continue
        try:
            with Path(log.path).open("rb") as file:
                found[log.source] = read_cited(file, log.roles)
        except OSError:
            continue
    return found


def read_cited(file: BinaryIO, numbers: Iterable[int]) -> Mapping[int, CitedText]:
    """The given lines (1-based over LF) of a stream, at most `LINE_LIMIT` bytes of each.

    A number past the end is left out. Reads `_CHUNK` bytes at a time and looks into a chunk only
    where a wanted line touches it.
    """
    wanted = sorted(set(numbers))
    kept: dict[int, bytearray] = {}
    line, at = 1, 0  # the line the chunk begins in; the first wanted line not yet complete
    while at < len(wanted) and (chunk := file.read(_CHUNK)):
        last = line + chunk.count(b"\n")
        start = 0
        while at < len(wanted) and wanted[at] <= last:
            while line < wanted[at]:
                start = chunk.index(b"\n", start) + 1
                line += 1
            end = chunk.find(b"\n", start)
            piece = chunk[start : end if end >= 0 else len(chunk)]
            if piece or end >= 0:
                kept.setdefault(line, bytearray()).extend(piece[: LINE_LIMIT + 1])
                del kept[line][LINE_LIMIT + 1 :]
            if end < 0:
                break
            at += 1
        line = last
    return {number: CitedText(bytes(raw[:LINE_LIMIT]), len(raw) > LINE_LIMIT) for number, raw in kept.items()}
