"""How often the literals held, by night: the share of runs at or below the literal, and below the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor

from bot.dashboard.plots.axes import around, date_labels
from bot.dashboard.plots.charts import dots
from bot.dashboard.plots.drawing import Key, Plot, Words, drawn, point
from bot.dashboard.plots.marks import line_key

HEIGHT = 240


@dataclass(frozen=True, slots=True)
class Share:
    """One night: shares between 0 and 1 of its runs."""

    at: datetime
    literal: float
    limit: float


# The second one is hollow, so that both are seen where they meet.
_LINES = (("literal", "circle", "at or below the literal"), ("limit", "square hollow", "below the effective timeout"))


def coverage_plot(nights: Sequence[Share], words: Words) -> Plot:
    """The plot of at least one night; the axis begins at the ten percent below the least share."""
    moments = [night.at for night in nights]
    least = min(min(night.literal, night.limit) for night in nights)
    low = min(90, max(0, floor(least * 10) * 10))
    tens = range(low, 101, 10 if low < 70 else 5)
    chart = dots(
        HEIGHT,
        xrange=around(moments),
        range=(low, 101),
        x_labels=date_labels(moments),
        y_labels=[{"value": value, "label": f"{value} %"} for value in tens],
    )
    ordered = sorted(nights, key=lambda night: night.at)
    for name, mark, _ in _LINES:
        shares = [(night.at, getattr(night, name) * 100) for night in ordered]
        chart.add(name, [_dot(at, share, mark) for at, share in shares])
    return Plot(drawn(chart, words), tuple(Key(line_key(name, mark), text) for name, mark, text in _LINES))


def _dot(at: datetime, share: float, mark: str) -> dict[str, object]:
    return point((at.timestamp(), share), mark, f"{at:%Y-%m-%d %H:%M}: {share:.1f} %")
