"""Measured durations by suite and date, read from CSV lines `date,suite,file,seconds`.

Opens no file. A line that cannot be read is refused by name and the rest goes on.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import isfinite

from bot.domain import TestPath
from bot.errors import UserError

COLUMNS = ("date", "suite", "file", "seconds")
MOST_SECONDS = 10_000_000.0  # about four months: more is no duration of a test


class LineRefusal(StrEnum):
    """Why a line of durations was not read."""

    COLUMNS = "columns"  # too few, or an empty suite or file
    DATE = "date"  # not YYYY-MM-DD
    SECONDS = "seconds"  # no number, negative, or longer than any test


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """One line that was not read. `line` is 1-based, the header included."""

    line: int
    reason: LineRefusal


@dataclass(frozen=True, slots=True)
class Series:
    """One suite: its dates in order, and for each the seconds of the files that ran."""

    suite: str
    dates: tuple[date, ...]
    seconds: tuple[Mapping[TestPath, float], ...]


def read_series(lines: Iterable[str]) -> tuple[tuple[Series, ...], tuple[RefusedLine, ...]]:
    """All suites in order of name, and what was refused. Of two rows for one file and date the slower counts.

    Raises:
        UserError: the first line does not name the four columns, or the text is no CSV.
    """
    rows: dict[str, dict[date, dict[TestPath, float]]] = {}
    refused: list[RefusedLine] = []
    reader = csv.DictReader(lines)
    try:
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            raise UserError(f"durations: the first line must name the columns {','.join(COLUMNS)}")
        for row in reader:
            reason = _add(row, rows)
            if reason is not None:
                refused.append(RefusedLine(reader.line_num, reason))
    except csv.Error as error:
        raise UserError(f"durations: line {reader.line_num} is no CSV: {error}") from error
    return tuple(_series(suite, dates) for suite, dates in sorted(rows.items())), tuple(refused)


def _add(row: Mapping[str, str | None], rows: dict[str, dict[date, dict[TestPath, float]]]) -> LineRefusal | None:
    suite, file = row["suite"], row["file"]
    if not suite or not file or row["seconds"] is None:
        return LineRefusal.COLUMNS
    try:
        day = date.fromisoformat(row["date"] or "")
    except ValueError:
        return LineRefusal.DATE
    try:
        seconds = float(row["seconds"])
    except ValueError:
        return LineRefusal.SECONDS
    if not isfinite(seconds) or not 0 <= seconds <= MOST_SECONDS:
        return LineRefusal.SECONDS
    files = rows.setdefault(suite, {}).setdefault(day, {})
    files[TestPath(file)] = max(seconds, files.get(TestPath(file), 0.0))
    return None


def _series(suite: str, dates: Mapping[date, Mapping[TestPath, float]]) -> Series:
    days = sorted(dates)
    return Series(suite, tuple(days), tuple(dates[day] for day in days))
