from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.backtest.series import LineRefusal, read_series
from bot.errors import UserError

HEAD = "date,suite,file,seconds\n"


def test_rows_in_any_order_become_suites_with_their_dates_in_order() -> None:
    series, refused = read_series([HEAD, "2026-01-03,b,x,3\n", "2026-01-02,a,x,1.5\n", "2026-01-01,b,y,2\n"])
    assert refused == ()
    assert [x.suite for x in series] == ["a", "b"]
    assert series[1].dates == (date(2026, 1, 1), date(2026, 1, 3))
    assert series[1].seconds == ({"y": 2.0}, {"x": 3.0})


def test_of_two_rows_for_one_file_and_date_the_slower_counts() -> None:
    (series,), _ = read_series([HEAD, "2026-01-01,a,x,5\n", "2026-01-01,a,x,3\n"])
    assert series.seconds == ({"x": 5.0},)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("2026-13-01,a,x,5", LineRefusal.DATE),
        ("yesterday,a,x,5", LineRefusal.DATE),
        ("2026-01-01,,x,5", LineRefusal.COLUMNS),
        ("2026-01-01,a", LineRefusal.COLUMNS),
        ("2026-01-01,a,x,five", LineRefusal.SECONDS),
        ("2026-01-01,a,x,-1", LineRefusal.SECONDS),
        ("2026-01-01,a,x,nan", LineRefusal.SECONDS),
        ("2026-01-01,a,x,1e300", LineRefusal.SECONDS),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_the_rest_goes_on(line: str, reason: LineRefusal) -> None:
    (series,), (refused,) = read_series([HEAD, f"{line}\n", "2026-01-01,a,x,5\n"])
    assert (refused.line, refused.reason) == (2, reason)
    assert series.seconds == ({"x": 5.0},)


@pytest.mark.parametrize("lines", [[], ["date,suite,file\n"], ["\n"]])
def test_a_table_without_the_columns_is_refused(lines: list[str]) -> None:
    with pytest.raises(UserError, match="must name the columns date,suite,file,seconds"):
        read_series(lines)


@given(st.lists(st.text(max_size=40), max_size=10))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_no_text_breaks_the_reader(lines: list[str]) -> None:
    try:
        series, refused = read_series([HEAD, *(f"{x}\n" for x in lines)])
    except UserError as error:
        assert "is no CSV" in str(error)  # noqa: PT017 - either outcome is a promise
    else:
        assert len(refused) + sum(len(night) for x in series for night in x.seconds) <= 10 * len(lines)
