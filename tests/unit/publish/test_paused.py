"""A pause is seen in the body of our pull request and nowhere else, and leaves no trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.publish.names import marker
from bot.publish.paused import SAID, with_pause, without_pause

MARK = marker(7, "rolling")
PROPERTY = settings(max_examples=200, deadline=None, derandomize=True)
WORDS = st.text(st.characters(exclude_characters="\r"), max_size=80)


@given(WORDS, WORDS)
@PROPERTY
def test_pausing_and_resuming_gives_the_body_back(before: str, after: str) -> None:
    body = f"{before}{MARK}\n{after}"
    paused = with_pause(body, MARK)
    assert SAID in paused
    assert with_pause(paused, MARK) == paused
    assert without_pause(paused) == body


def test_a_body_that_is_not_ours_stays() -> None:
    for body in ("words", "", marker(8, "rolling") + "\nanother App's"):
        assert with_pause(body, MARK) == body


def test_line_ends_of_githubs_editor_do_not_hide_it() -> None:
    paused = with_pause(f"{MARK}\nbody\n", MARK)
    assert without_pause(paused.replace("\n", "\r\n")) == f"{MARK}\nbody\n"
