"""Every measurement of one test by night, beside the literal and the effective timeout as they were.

The seconds are logarithmic: a literal, its limit and a test of half a minute are all readable, and
equal distances are equal headroom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log10

from bot.dashboard.plots.axes import MOST_S, around, date_labels, seconds_labels, seconds_range
from bot.dashboard.plots.charts import dots
from bot.dashboard.plots.drawing import Key, Plot, Words, drawn, point
from bot.dashboard.plots.marks import NOT_JUDGED, OTHER, RADIUS, SHAPES, SMALL, host_key, letter_key, line_key

HEIGHT = 400
MANY = 120  # points; more of them are small


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement. Without seconds it stands on the bottom line; `letter` "": it is a sample.

    Of samples and of what is not judged the shape tells the host; what is rejected has its letter instead.
    """

    at: datetime
    elapsed_s: int | None
    host: str
    told: str
    address: str = ""
    letter: str = ""
    reason: str = ""  # what the letter stands for

    @property
    def shaped(self) -> bool:
        """True where the mark tells the host."""
        return self.letter in ("", NOT_JUDGED)


@dataclass(frozen=True, slots=True)
class Step:
    """The literal that a night's runner read, and the effective timeout that it gives."""

    at: datetime
    literal: float
    limit_s: float


_LINES: Mapping[str, Callable[[Step], float]] = {
    "literal": lambda step: step.literal,
    "limit": lambda step: step.limit_s,
}


def samples_plot(points: Sequence[Point], steps: Sequence[Step], words: Words) -> Plot:
    """The plot; at least one point or step is needed."""
    moments = [*(one.at for one in points), *(one.at for one in steps)]
    seconds = [float(one.elapsed_s) for one in points if one.elapsed_s is not None]
    seconds += [value for step in steps for value in (step.literal, step.limit_s)]
    low, high = seconds_range(seconds)
    chart = dots(
        HEIGHT,
        stroke=False,
        xrange=around(moments),
        range=(log10(low), log10(high)),
        x_labels=date_labels(moments),
        y_labels=seconds_labels(low, high),
        y_title="seconds (logarithmic)",
    )
    for name, value_of in _LINES.items():
        chart.add(name, _stairs(steps, around(moments)[1], value_of), stroke=True, show_dots=False)
    hosts, radius = _numbered(points), SMALL if len(points) > MANY else RADIUS
    for host, number in hosts.items():
        here = [_drawn(one, number, low, radius) for one in points if one.host == host and one.shaped]
        chart.add(host, here)
    # last, so that no shape hides a letter
    chart.add("rejected", [_drawn(one, 0, low, radius) for one in points if not one.shaped])
    return Plot(drawn(chart, words), _legend(points, steps, hosts))


def _stairs(steps: Sequence[Step], end: float, value_of: Callable[[Step], float]) -> list[tuple[float, float]]:
    """A line that keeps each night's value until the next night's."""
    ordered = sorted(steps, key=lambda step: step.at)
    places: list[tuple[float, float]] = []
    for step in ordered:
        value = _height(value_of(step))
        if places and places[-1][1] != value:
            places.append((step.at.timestamp(), places[-1][1]))
        if not places or places[-1][1] != value:
            places.append((step.at.timestamp(), value))
    return [*places, (end, places[-1][1])] if places else []


def _height(seconds: float) -> float:
    """Where seconds stand on the axis."""
    return log10(min(max(1.0, seconds), MOST_S))


def _numbered(points: Sequence[Point]) -> Mapping[str, int]:
    """Hosts with their numbers, the one with the most shapes first; all further ones share the last number."""
    counted = Counter({one.host: 0 for one in points})
    counted.update(one.host for one in points if one.shaped)
    ordered = sorted(counted, key=lambda host: (-counted[host], host))
    return {host: min(number, len(SHAPES)) for number, host in enumerate(ordered)}


def _drawn(one: Point, number: int, low: float, radius: float) -> dict[str, object]:
    height = log10(low) if one.elapsed_s is None else _height(one.elapsed_s)
    shape = (SHAPES[number] if number < len(SHAPES) else OTHER) + (" hollow" if one.letter else "")
    return point((one.at.timestamp(), height), shape if one.shaped else f"={one.letter}", one.told, one.address, radius)


def _legend(points: Sequence[Point], steps: Sequence[Step], hosts: Mapping[str, int]) -> tuple[Key, ...]:
    lines = [("literal", "literal (est_time)"), ("limit", "effective timeout")] if steps else []
    shaped = {one.host for one in points if one.shaped}
    named = [(number, host) for host, number in hosts.items() if host in shaped and number < len(SHAPES)]
    others = sum(number == len(SHAPES) for host, number in hosts.items() if host in shaped)
    letters = {one.letter: one.reason for one in points if one.letter}
    return (
        *(Key(line_key(name), text) for name, text in lines),
        *(Key(host_key(number), host or "runner not named") for number, host in sorted(named)),
        *([Key(host_key(len(SHAPES)), f"{others} other runners")] if others else []),
        *(Key(letter_key(letter), f"not counted: {reason}") for letter, reason in sorted(letters.items())),
    )
