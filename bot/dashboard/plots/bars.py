"""Pairs of bars: the load of each rank before and after, the literals that a pull request raises and lowers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.dashboard.plots.axes import even_labels
from bot.dashboard.plots.charts import bars
from bot.dashboard.plots.drawing import Key, Plot, Words, drawn
from bot.dashboard.plots.marks import bar_key
from bot.publish.visible import visible

HEIGHT = 220


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands at one place of the axis: two values of one unit."""

    label: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class PairWords:
    """What the axis, the two values and their unit (with its leading space) are called."""

    axis: str
    first: str
    second: str
    unit: str = ""


def pairs_plot(pairs: Sequence[Pair], said: PairWords, words: Words) -> Plot:
    """The plot of at least one pair; the first value's bar is hollow, the second's filled."""
    ticks = even_labels(max(max(pair.first, pair.second) for pair in pairs))
    chart = bars(
        HEIGHT,
        len(pairs),
        range=(0, ticks[-1]["value"]),
        x_labels=[visible(pair.label) for pair in pairs],
        y_labels=ticks,
        x_title=said.axis,
        y_title=said.unit.strip() or None,
    )
    for name, values in ((said.first, [p.first for p in pairs]), (said.second, [p.second for p in pairs])):
        chart.add(
            name,
            [
                {"value": value, "tooltip": visible(f"{said.axis} {pair.label}: {value:,.0f}{said.unit}, {name}")}
                for pair, value in zip(pairs, values, strict=True)
            ],
        )
    keys = (("bar-0", said.first), ("bar-1", said.second))
    return Plot(drawn(chart, words), tuple(Key(bar_key(name), text) for name, text in keys))
