"""Patterns of log lines: what they find, what is refused, and that no line makes them slow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config_file import Invalid, Valid, parse
from bot.patterns import MAX_LINE, compiled

PROGRESS = "rollout {done}/{total}"


def test_numbers_and_values_are_read_where_the_text_stands() -> None:
    assert compiled(PROGRESS).search(b"[08:03:54] rollout 44/60 done: {'reward': 0.7}") == {"done": "44", "total": "60"}
    assert compiled("batch={value}").search(b"step 0: {'loss': 1} batch=128") == {"value": "128"}
    assert compiled("--size {value}").search(b"--size 256 --other") == {"value": "256"}
    assert compiled("--dynamic").search(b"run --dynamic --x") == {}


def test_the_last_place_of_a_line_counts() -> None:
    assert compiled(PROGRESS).search(b"rollout 1/60, rollout 2/60") == {"done": "2", "total": "60"}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"rollout /60",
        b"rollout 1/",
        b"rollout -1/60",
        b"prerollout 1/60",
        b"rollout 1234567890/60",
        b"rollout 1 / 60",
    ],
)
def test_what_is_not_of_the_form_is_not_found(line: bytes) -> None:
    assert compiled(PROGRESS).search(line) is None


@pytest.mark.parametrize(
    "text",
    ["", "   ", "{done}{total}", "{done}/{done} x", "{value}abc", "step {done}0", "x" * 201, "{done}"],
)
def test_a_pattern_that_could_not_be_matched_plainly_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|placeholder|number"):
        compiled(text)


def test_regular_expressions_are_only_text() -> None:
    assert compiled("(a+)+$ {value}").search(b"aaaa b") is None
    assert compiled("(a+)+$ {value}").search(b"(a+)+$ b") == {"value": "b"}


@given(
    st.binary(max_size=200), st.sampled_from([PROGRESS, "x={value}", "x={value} y={done}", "{done} of {total} done"])
)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_any_bytes_are_accepted(line: bytes, text: str) -> None:
    found = compiled(text).search(line)
    assert found is None or set(found) == set(compiled(text).holes)


@pytest.mark.parametrize("text", [PROGRESS, "x={value} {done}/{total}", "1 {done} 1 {total}"])
def test_no_line_makes_matching_slow(text: str) -> None:
    """A megabyte that nearly matches everywhere is looked at as far as the limit, and quickly."""
    hard = (b"rollout 1/rollout 1/" + b"x=1 1 1 1 1/" * 4) * (1 << 14)
    began = time.perf_counter()
    compiled(text).search(hard)
    assert len(hard) > 256 * MAX_LINE
    assert time.perf_counter() - began < 0.5


def test_a_pattern_of_the_configuration_is_checked_when_it_is_read() -> None:
    bad = parse(b'version: 1\ntimeouts:\n  progress: ["rollout {done}"]\n')
    assert isinstance(bad, Invalid)
    assert (bad.problems[0].line, bad.problems[0].key) == (3, "timeouts.progress")
    fact = parse(b"version: 1\ntimeouts:\n  facts:\n    - {name: x, text: '{value}{done}'}\n")
    assert isinstance(fact, Invalid)
    assert fact.problems[0].line == 4
    good = parse(b'version: 1\ntimeouts:\n  progress: ["epoch {done} of {total}"]\n  facts: []\n')
    assert isinstance(good, Valid)
    assert good.config.timeouts.facts == ()
