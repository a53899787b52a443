"""Promises of the names in a configuration: those of the tables are taken, any other is refused with its line."""

from __future__ import annotations

import pytest

from bot.config_file import Absent, Invalid, Problem, Valid
from bot.config_names import TABLES, Key, read_config

WRITTEN = {
    "registrations.dialects": "registrations:\n  dialects: [NAME]\n",
    "registrations.yaml.form": "registrations:\n  yaml:\n    - {file: ci/times.yaml, form: NAME}\n",
    "logs.dialects": "logs:\n  dialects: [NAME]\n",
    "estimate.estimator.name": "estimate:\n  estimator:\n    name: NAME\n",
    "commands.readers": "commands:\n  readers:\n  - NAME\n",
}


@pytest.mark.parametrize("key", TABLES, ids=lambda key: key.dotted)
def test_every_name_of_a_table_is_taken_and_another_is_refused_where_it_stands(key: Key) -> None:
    written = "version: 1\n" + WRITTEN[key.dotted]
    for name in TABLES[key]:
        assert isinstance(read_config(written.replace("NAME", name).encode()), Valid)
    state = read_config(written.replace("NAME", "bittern").encode())
    assert isinstance(state, Invalid)
    (problem,) = state.problems
    assert (problem.line, problem.key) == (written[: written.index("NAME")].count("\n") + 1, key.dotted)
    assert all(name in problem.message for name in TABLES[key])


def test_a_slip_of_the_pen_is_answered_with_the_nearest_name_on_its_own_line() -> None:
    raw = b"version: 1\nlogs:\n  dialects:\n    - suite_runner\n    - older_siute_runner\n"
    message = "no log dialect 'older_siute_runner': did you mean older_suite_runner?"
    assert read_config(raw) == Invalid((Problem(5, "logs.dialects", message),))


def test_no_file_is_absent_and_a_file_that_is_wrong_otherwise_stays_so() -> None:
    assert read_config(None) == Absent()
    assert isinstance(read_config(b"version: 2\n"), Invalid)
