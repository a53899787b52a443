"""Coverage and pairs of bars: one mark a value, at its height, said in words too."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.dashboard.plots.bars import Pair, PairWords, pairs_plot
from bot.dashboard.plots.coverage import Share, coverage_plot
from bot.dashboard.plots.drawing import Plot, Words

DAY = datetime(2026, 9, 1, 2, 30, tzinfo=UTC)
WORDS = Words("one", "title", "told")
RANKS = PairWords("rank", "before", "after", " seconds")
few = settings(max_examples=30, deadline=None, derandomize=True, database=None)


def read(plot: Plot) -> Element:
    return fromstring(plot.svg)  # noqa: S314 - a drawing of our own


def classed(plot: Plot, name: str) -> list[Element]:
    return [one for one in read(plot).iter() if name in one.get("class", "").split()]


@few
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_a_night_has_one_mark_for_each_of_its_two_shares(shares: list[tuple[float, float]]) -> None:
    nights = [Share(DAY + timedelta(days=number), *two) for number, two in enumerate(shares)]
    plot = coverage_plot(nights, WORDS)
    assert [len(classed(plot, name)) for name in ("circle", "square")] == [len(nights), len(nights)]
    assert read(plot).get("role") == "img"


def test_a_better_night_stands_higher_and_its_share_is_told() -> None:
    plot = coverage_plot([Share(DAY, 0.75, 1), Share(DAY + timedelta(days=1), 0.9, 1)], WORDS)
    worse, better = [float(one.attrib["cy"]) for one in classed(plot, "circle")]
    assert better < worse
    assert "2026-09-01 02:30: 75.0 %" in plot.svg


@few
@given(st.lists(st.tuples(st.floats(0, 10**6), st.floats(0, 10**6)), min_size=1, max_size=12))
def test_each_pair_has_two_bars_as_high_as_their_values(values: list[tuple[float, float]]) -> None:
    plot = pairs_plot([Pair(str(number), *two) for number, two in enumerate(values)], RANKS, WORDS)
    bars = [float(one.attrib["height"]) for one in classed(plot, "rect")]
    flat = [first for first, _ in values] + [second for _, second in values]
    assert len(bars) == len(flat)
    scale = max(bars) / max(flat) if max(flat) else 0
    assert bars == pytest.approx([value * scale for value in flat], abs=0.3)


def test_a_bar_says_its_place_its_value_and_which_of_the_two_it_is() -> None:
    plot = pairs_plot([Pair("0", 1200, 900)], RANKS, WORDS)
    assert "rank 0: 1,200 seconds, before" in plot.svg
    assert "rank 0: 900 seconds, after" in plot.svg
    assert [key.text for key in plot.legend] == ["before", "after"]


def test_a_few_bars_do_not_fill_the_page() -> None:
    few_bars, many = (
        read(pairs_plot([Pair(str(number), 1, 2) for number in range(count)], RANKS, WORDS)) for count in (2, 12)
    )
    assert (few_bars.get("width"), many.get("width")) == ("360", None)


def test_making_plots_leaves_python_s_imports_alone() -> None:
    assert not [hook for hook in sys.meta_path if type(hook).__module__ == "pygal"]
