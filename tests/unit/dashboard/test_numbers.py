"""Whatever stands in an address, the store is asked with a number that it can hold."""

from __future__ import annotations

import pytest

from bot.dashboard.numbers import MOST_NUMBER, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("25", 25),
        ("0025", 25),
        (str(MOST_NUMBER), MOST_NUMBER),
        ("", 0),
        ("-1", 0),
        ("1.5", 0),
        ("1e3", 0),
        (" 1", 0),
        ("\uff11", 0),  # a digit, not an ASCII one
        ("\u00b2", 0),  # isdigit, and int() refuses it
        (str(MOST_NUMBER + 1), 0),
        ("9" * 5000, 0),
    ],
    ids=lambda given: ascii(given)[:24],
)
def test_only_ascii_digits_within_bounds_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == number


def test_what_is_over_the_most_is_the_beginning() -> None:
    assert [whole_number(text, 100) for text in ("99", "100", "101")] == [99, 100, 0]
