"""Nested values as text and back, and text that every database takes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.domain import (
    Decision,
    EditRefusal,
    Estimate,
    Keep,
    KeepReason,
    Proposal,
    Registration,
    RegistrationKey,
    Status,
)
from bot.errors import InternalError
from bot.records.repositories import ConfigSnapshot, ConfigStatus
from bot.repo_config import RepoConfig
from bot.repo_config.estimation import Estimation, NightsNeeded
from bot.store.codec import dumps, loads
from bot.store.column_types import escape, unescape

quick = settings(max_examples=200, deadline=None, derandomize=True, database=None)
any_text = st.text(st.one_of(st.characters(), st.sampled_from("\x00\x1a\ud800\udfff0123")))


@quick
@given(any_text)
def test_escaped_text_comes_back_and_can_be_stored(text: str) -> None:
    escaped = escape(text)
    assert unescape(escaped) == text
    assert b"\x00" not in escaped.encode("utf-8")


@quick
@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00\x1a")))
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert escape(text) == text


@quick
@given(any_text, any_text)
def test_different_texts_are_stored_differently(one: str, other: str) -> None:
    assert (escape(one) == escape(other)) == (one == other)


def key(text: str = "t.py") -> RegistrationKey:
    return RegistrationKey(text, "cuda", "stage")  # type: ignore[arg-type]


def registration(text: str, number: float) -> Registration:
    return Registration(
        key(text),
        "b" * 40,  # type: ignore[arg-type]
        0,
        1,
        2,
        1,
        number,
        text,
        None,
        est_refusal=EditRefusal.EST_TIME_NOT_A_NUMBER,
    )


DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)


@quick
@given(any_text, st.floats(allow_nan=False))
def test_a_decision_comes_back_as_the_kind_it_was(text: str, number: float) -> None:
    estimate = Estimate(130, number, "max", 2, 2, 1, 120, 20)
    for decision in (
        Proposal(registration(text, number), estimate, 130, 1800, 1800, ()),
        Keep(registration(text, number), KeepReason.TOO_FEW_NIGHTS, text, estimate, 50),
        Keep(registration(text, number), KeepReason.NO_SAMPLE),
    ):
        text_of_it = dumps(DECISION, decision)
        assert text_of_it.isascii()
        assert loads(DECISION, text_of_it) == decision
        assert type(loads(DECISION, text_of_it)) is type(decision)


def test_a_configuration_comes_back_with_its_aliases() -> None:
    config = RepoConfig(version=1, estimate=Estimation(nights=NightsNeeded(raise_=3, lower=4)))
    adapter = TypeAdapter(ConfigSnapshot)
    snapshot = ConfigSnapshot(ConfigStatus.VALID, config=config)
    assert loads(adapter, dumps(adapter, snapshot)) == snapshot


@pytest.mark.parametrize("text", ["", "{", "[1", '["no-status"]', "[" * 100_000])
def test_text_that_is_no_such_value_is_our_bug_and_says_so(text: str) -> None:
    with pytest.raises(InternalError, match="cannot be read back"):
        loads(TypeAdapter(tuple[Status, ...]), text)


def test_a_field_that_came_later_has_its_default() -> None:
    adapter = TypeAdapter(ConfigSnapshot)
    assert loads(adapter, '{"status":"absent"}') == ConfigSnapshot(ConfigStatus.ABSENT)


def test_a_time_keeps_its_microseconds() -> None:
    adapter = TypeAdapter(datetime)
    moment = datetime(2026, 9, 1, 1, 2, 3, 456789, tzinfo=UTC)
    assert loads(adapter, dumps(adapter, moment)) == moment
