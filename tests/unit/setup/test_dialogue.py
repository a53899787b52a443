"""Promises of a set-up's dialogue: nothing happens without the code, and nothing twice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.setup.dialogue import ALPHABET, MOST_TRIES, Dialogue, Refusal, new_code
from bot.setup.words import WORDS, status


def begun() -> Dialogue:
    made = Dialogue()
    assert made.begin(made.code) is None
    return made


def test_the_code_serves_once() -> None:
    made = begun()
    assert made.begin(made.code) is Refusal.CODE_USED
    assert [made.begin("WRONG") for _ in range(MOST_TRIES)] == [Refusal.CODE_USED] * MOST_TRIES  # and ends nothing


def test_the_code_may_be_typed_as_a_person_types() -> None:
    made = Dialogue()
    assert made.begin(f"  {made.code.lower().replace('-', ' ')} ") is None


def test_after_some_wrong_codes_the_right_one_serves_no_more() -> None:
    made = Dialogue()
    tries = [made.begin("WRONG") for _ in range(MOST_TRIES)]
    assert tries == [*[Refusal.WRONG_CODE] * (MOST_TRIES - 1), Refusal.TOO_MANY_TRIES]
    assert made.begin(made.code) is Refusal.TOO_MANY_TRIES
    assert not made.begun


@pytest.mark.parametrize(
    ("state", "code", "refusal"),
    [
        ("right", "0123abc", None),
        ("wrong", "0123abc", Refusal.WRONG_STATE),
        ("", "0123abc", Refusal.WRONG_STATE),
        ("right", "", Refusal.NO_ANSWER_CODE),
        ("right", "../../user", Refusal.NO_ANSWER_CODE),
        ("right", "a" * 201, Refusal.NO_ANSWER_CODE),
        ("right", "abc\n", Refusal.NO_ANSWER_CODE),
    ],
)
def test_an_answer_is_taken_with_the_right_state_and_a_code_that_can_be_one(
    state: str, code: str, refusal: Refusal | None
) -> None:
    made = begun()
    assert made.returned(made.state if state == "right" else state, code) is refusal


def test_an_answer_before_the_code_is_refused_though_its_state_is_right() -> None:
    made = Dialogue()
    assert made.returned(made.state, "0123abc") is Refusal.NOT_BEGUN


def test_an_answer_is_taken_once() -> None:
    made = begun()
    made.answered = True
    assert made.returned(made.state, "0123abc") is Refusal.REPLAYED


def test_neither_code_nor_state_shows_in_a_representation() -> None:
    made = Dialogue()
    assert made.code not in repr(made)
    assert made.state not in repr(made)


def test_codes_are_long_and_differ() -> None:
    codes = {new_code() for _ in range(50)}
    assert len(codes) == 50
    assert all(set(code) <= set(ALPHABET) | {"-"} and len(code) == 14 for code in codes)


@pytest.mark.parametrize("refusal", list(Refusal))
def test_every_refusal_has_words_and_is_no_success(refusal: Refusal) -> None:
    assert WORDS[refusal].endswith(".")
    assert status(refusal) >= 400


ANY = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)  # surrogates too


@given(ANY, ANY, ANY)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_no_text_gets_in_but_the_code(given_code: str, state: str, code: str) -> None:
    made = Dialogue(code="QQQQ-QQQQ-QQQQ", state="s" * 43)
    assert made.begin(given_code) is Refusal.WRONG_CODE
    assert made.returned(state, code) is Refusal.NOT_BEGUN
    assert made.begin(made.code) is None
    assert made.returned(state, code) is Refusal.WRONG_STATE
