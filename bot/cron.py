"""When a schedule fires: five-field cron expressions as GitHub Actions takes them, in UTC.

Fields are minute, hour, day of month, month, day of week (0 and 7 are Sunday); each a comma list of
`*`, numbers, ranges and steps. Days of month and week that are both restricted mean either, as in
cron(5). Names and `@weekly` are not taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_LONGEST = 200  # characters
_DAYS_BACK = 4 * 366 + 1  # 29 February comes at least so often, but around 2100


@dataclass(frozen=True, slots=True)
class Cron:
    """The values of each field at which a schedule fires."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    either_day: bool  # day of month and day of week are both restricted

    def last_before(self, moment: datetime) -> datetime | None:
        """The last firing at or before a moment, None where there is none in four years."""
        day = moment.replace(hour=23, minute=59, second=0, microsecond=0)
        for _ in range(_DAYS_BACK):
            if self._on(day):
                found = self._latest(day, moment)
                if found is not None:
                    return found
            day -= timedelta(days=1)
        return None

    def _on(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        by_date, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return (by_date or by_week) if self.either_day else (by_date and by_week)

    def _latest(self, day: datetime, moment: datetime) -> datetime | None:
        for hour in sorted(self.hours, reverse=True):
            for minute in sorted(self.minutes, reverse=True):
                at = day.replace(hour=hour, minute=minute)
                if at <= moment:
                    return at
        return None


def parse(text: str) -> Cron:
    """The schedule of an expression.

    Raises:
        ValueError: it is none, with the reason.
    """
    fields = text.split()
    if len(text) > _LONGEST or len(fields) != len(_RANGES):
        raise ValueError("give five fields: minute hour day-of-month month day-of-week")
    minutes, hours, days, months, weekdays = (
        _values(field, low, high) for field, (low, high) in zip(fields, _RANGES, strict=True)
    )
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    return Cron(minutes, hours, days, months, frozenset(day % 7 for day in weekdays), either)


def _values(field: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        start = low if span == "*" else _number(first, low, high)
        only = high if slash else start  # `5/15` goes on to the end of the range
        end = high if span == "*" else _number(last, low, high) if dash else only
        if end < start:
            raise ValueError(f"{part!r}: the range ends before it begins")
        found.update(range(start, end + 1, _number(step, 1, high + 1) if slash else 1))
    return frozenset(found)


def _number(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 3 or not low <= int(text) <= high:
        raise ValueError(f"{text!r} is no number from {low} to {high}")
    return int(text)
