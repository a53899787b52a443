"""Labels are round, inside the axis, and far enough apart to be read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.dashboard.plots.axes import MOST_DATES, around, date_labels, even_labels, seconds_labels, seconds_range

DAY = datetime(2026, 9, 1, 2, 30, tzinfo=UTC)
few = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([30, 1800], ["30", "100", "300", "1\u202f000"]),
        ([900, 1800], ["700", "1\u202f000", "1\u202f500", "2\u202f000"]),
        ([5, 5], ["4", "5", "6"]),
        ([], ["1"]),
    ],
    ids=["wide", "narrow", "one value", "nothing"],
)
def test_seconds_are_round(values: list[float], shown: list[str]) -> None:
    assert [label["label"] for label in seconds_labels(*seconds_range(values))] == shown


@few
@given(st.lists(st.floats(0, 10**7), min_size=1))
@example([1.5])
def test_there_are_labels_for_any_seconds_and_not_many(values: list[float]) -> None:
    low, high = seconds_range(values)
    assert low <= max(1, min(values))
    assert high >= max(values)
    assert 1 <= len(seconds_labels(low, high)) <= 16


@few
@given(st.lists(st.integers(0, 24 * 4000), min_size=1, max_size=80))
def test_dates_never_stand_too_close_and_the_newest_is_among_them(hours: list[int]) -> None:
    moments = [DAY + timedelta(hours=number) for number in hours]
    found = date_labels(moments)
    first, last = around(moments)
    assert found[-1]["label"] == f"{max(moments):%Y-%m-%d}"
    assert len(found) <= MOST_DATES + 1
    assert len({label["label"] for label in found}) == len(found)
    apart = (max(moments) - min(moments)).total_seconds() / MOST_DATES
    assert all(after["value"] - before["value"] >= apart for before, after in pairwise(found))
    assert all(first < label["value"] < last for label in found)


@few
@given(st.floats(0, 10**7))
def test_an_even_axis_reaches_its_greatest_value_in_few_steps(high: float) -> None:
    found = even_labels(high)
    assert found[0]["value"] == 0
    assert found[-1]["value"] >= high
    assert 2 <= len(found) <= 7
