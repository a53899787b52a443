"""Texts fit their limit by whole rows, and say what is missing."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.publish.budget import CHECK_FIELD_LIMIT, Block, assemble, size


def test_a_summary_of_two_byte_text_is_cut_at_a_row_under_the_byte_limit() -> None:
    """GitHub counts bytes: 40,000 characters of two bytes pass a check of characters and fail there."""
    rows = tuple(f"| {'ä' * 100} |\n" for _ in range(400))
    text = assemble([Block("| x |\n|---|\n", rows, "foot\n", "{n} more rows in evidence.csv.\n")], CHECK_FIELD_LIMIT)
    kept = text.count("ä" * 100)
    assert size(text) <= CHECK_FIELD_LIMIT < size("".join(rows))
    assert text == "| x |\n|---|\n" + "".join(rows[:kept]) + f"{400 - kept} more rows in evidence.csv.\nfoot\n"
    assert size(text) + size(rows[0]) > CHECK_FIELD_LIMIT


def test_a_text_that_fits_is_whole() -> None:
    assert assemble([Block("a\n", ("b\n", "c\n"), "d\n")], 100) == "a\nb\nc\nd\n"


def test_a_long_part_does_not_crowd_out_a_short_one_behind_it() -> None:
    text = assemble([Block("", ("x" * 9 + "\n",) * 100), Block("", ("short\n",) * 3)], 500)
    assert text.count("short\n") == 3


PARTS = st.lists(
    st.tuples(st.text(alphabet="aä\n", max_size=20), st.lists(st.integers(0, 30), max_size=20), st.booleans()),
    max_size=6,
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(parts=PARTS, limit=st.integers(0, 900))
def test_no_text_is_longer_than_its_limit_and_every_row_is_shown_or_counted(
    parts: list[tuple[str, list[int], bool]], limit: int
) -> None:
    blocks = [
        Block(head, tuple(f"row{'ö' * length}\n" for length in rows), "foot\n" if foot else "")
        for head, rows, foot in parts
    ]
    text = assemble(blocks, limit)
    assert size(text) <= limit
    least = sum(size(block.head + block.foot + block.more) for block in blocks)
    if least <= limit:
        counted = sum(map(int, re.findall(r"(\d+) more", text)))
        assert len(re.findall(r"row", text)) + counted == sum(len(block.rows) for block in blocks)
