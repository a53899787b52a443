from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cron import parse
from bot.tasks.schedule import due

NOW = datetime(2026, 8, 12, 10, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("* * * * *", (8, 12, 10, 30)),
        ("0 6 * * 1", (8, 10, 6, 0)),
        ("0 6 * * 0", (8, 9, 6, 0)),
        ("0 6 * * 7", (8, 9, 6, 0)),
        ("45 10 * * *", (8, 11, 10, 45)),
        ("*/20 8-9 * * *", (8, 12, 9, 40)),
        ("5/20 9 * * *", (8, 12, 9, 45)),
        ("0 0 1 * *", (8, 1, 0, 0)),
        ("0 0 15 * 2", (8, 11, 0, 0)),  # the 15th, or a Tuesday
        ("0 0 31 7 *", (7, 31, 0, 0)),
    ],
)
def test_the_last_firing_before_a_moment(text: str, last: tuple[int, int, int, int]) -> None:
    assert parse(text).last_before(NOW) == datetime(2026, *last, tzinfo=UTC)


def test_a_day_that_never_comes_never_fires() -> None:
    assert parse("0 0 31 2 *").last_before(NOW) is None
    assert parse("0 0 29 2 *").last_before(NOW) == datetime(2024, 2, 29, tzinfo=UTC)


NO_SCHEDULES = (
    *("", "daily", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "5-1 * * * *"),
    *("*/0 * * * *", "a * * * *", "1,,2 * * * *", "-1 * * * *", "\N{SUPERSCRIPT TWO} * * * *", "@weekly"),
    f"{','.join(['1'] * 150)} * * * *",
)


@pytest.mark.parametrize("text", NO_SCHEDULES)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"five fields|no number|range"):
        parse(text)


@given(st.text(alphabet="0123456789*/-, ", max_size=40))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_text_is_a_schedule_or_a_refusal(text: str) -> None:
    try:
        fired = parse(text).last_before(NOW)
    except ValueError:
        return
    assert fired is None or fired <= NOW


@pytest.mark.parametrize(
    ("schedule", "ago", "expected"),
    [
        ("nightly", timedelta(minutes=1), True),
        ("weekly", timedelta(days=6), False),
        ("weekly", timedelta(days=6, hours=23), True),  # a nightly that ended an hour earlier this week
        ("0 6 * * 1", timedelta(days=2), False),
        ("0 6 * * 1", timedelta(days=3), True),
    ],
)
def test_one_update_a_schedule(schedule: str, ago: timedelta, *, expected: bool) -> None:
    assert due(schedule, NOW - ago, NOW) is expected
    assert due(schedule, None, NOW) is True
