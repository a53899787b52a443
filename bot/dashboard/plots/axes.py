"""Axes: which values get a label, so that labels are round, few and never overlap. Draws nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import ceil, floor, log10
from typing import Any

MOST_DATES = 8  # labels of ten characters beside one another
FEWEST_TICKS = 4
MOST_S = 10.0**7  # four months: what is beyond stands at the edge
_LADDERS = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9))

Label = dict[str, Any]  # as pygal takes it: a value and what stands at it


def seconds_range(values: Iterable[float]) -> tuple[float, float]:
    """The least and the largest second that a logarithmic axis shows, with room around; from 1 to `MOST_S`."""
    found = [min(max(1.0, value), MOST_S) for value in values] or [1.0]
    least = min(found)
    return max(0.8, min(least / 1.35, floor(least))), max(found) * 1.25  # floor: one whole second is in it


def seconds_labels(low: float, high: float) -> list[Label]:
    """Round seconds between two bounds, at least four where there are so many, at their logarithms."""
    found: list[float] = []
    for ladder in _LADDERS:
        found = [step * 10**power for power in range(floor(log10(low)), ceil(log10(high)) + 1) for step in ladder]
        found = [value for value in found if low <= value <= high and value == int(value)]
        if len(found) >= FEWEST_TICKS:
            break
    return [{"value": log10(value), "label": f"{int(value):,}".replace(",", "\u202f")} for value in found]


def even_labels(high: float) -> list[Label]:
    """Round values from 0 to the first at or above `high`, five or six of them."""
    step = _step(high / 5) if high > 0 else 1.0
    count = max(1, ceil(high / step))
    return [{"value": i * step, "label": f"{i * step:,.0f}".replace(",", "\u202f")} for i in range(count + 1)]


def date_labels(moments: Sequence[datetime]) -> list[Label]:
    """Some of the dates of these moments, the last one among them, far enough apart; at their seconds since 1970."""
    if not moments:
        return []
    first, last = min(moments), max(moments)
    apart = (last - first).total_seconds() / MOST_DATES
    found: list[datetime] = []
    for moment in sorted(set(moments), reverse=True):
        days = {one.date() for one in found}
        if not found or ((found[-1] - moment).total_seconds() >= apart and moment.astimezone(UTC).date() not in days):
            found.append(moment.astimezone(UTC))
    return [{"value": one.timestamp(), "label": f"{one:%Y-%m-%d}"} for one in reversed(found)]


def around(moments: Iterable[datetime]) -> tuple[float, float]:
    """The seconds since 1970 that an axis of dates spans, with room at both ends."""
    found = [moment.timestamp() for moment in moments]
    room = max(3600.0, (max(found) - min(found)) * 0.03)
    return min(found) - room, max(found) + room


def _step(least: float) -> float:
    """The first of 1, 2, 5, 10, 20, … that is not below."""
    power = 10.0 ** floor(log10(least)) if least > 0 else 1.0
    return next((step * power for step in (1, 2, 5, 10) if step * power >= least), 10 * power)
