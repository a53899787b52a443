"""Promises of the names in a configuration: those of the tables are taken, any other is refused with its line."""

from __future__ import annotations

import pytest

from bot.config_file import Absent, Invalid, Problem, Valid
from bot.config_names import TABLES, Key, read_config


def _file(key: Key, value: str) -> bytes:
    lines = [f"{'  ' * depth}{part}:" for depth, part in enumerate(key.path)]
    return "\n".join(["version: 1", *lines]).encode() + f" {value}\n".encode()


@pytest.mark.parametrize("key", TABLES, ids=lambda key: key.dotted)
def test_every_name_of_a_table_is_taken_and_another_is_refused_where_it_stands(key: Key) -> None:
    many = isinstance(read_config(_file(key, "[]")), Valid)
    for name in TABLES[key]:
        assert isinstance(read_config(_file(key, f"[{name}]" if many else name)), Valid)
    state = read_config(_file(key, "[bittern]" if many else "bittern"))
    assert isinstance(state, Invalid)
    (problem,) = state.problems
    assert (problem.line, problem.key) == (len(key.path) + 1, key.dotted)
    assert all(name in problem.message for name in TABLES[key])


def test_a_slip_of_the_pen_is_answered_with_the_nearest_name_on_its_own_line() -> None:
    raw = b"version: 1\nlogs:\n  dialects:\n    - suite_runner\n    - older_siute_runner\n"
    message = "no log dialect 'older_siute_runner': did you mean older_suite_runner?"
    assert read_config(raw) == Invalid((Problem(5, "logs.dialects", message),))


def test_no_file_is_absent_and_a_file_that_is_wrong_otherwise_stays_so() -> None:
    assert read_config(None) == Absent()
    assert isinstance(read_config(b"version: 2\n"), Invalid)
