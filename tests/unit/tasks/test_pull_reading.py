"""Promises of a changed configuration's validation: what is wrong has its line, names that are used are looked up."""

from __future__ import annotations

import pytest

from bot.tasks.pull_reading import config_problems


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("version: 1\n", []),
        ("version: 1\nmode: observe\n", []),
        ("", [(1, "version")]),
        ("version: 1\nmodes: x\n", [(2, "modes")]),
        ("version: 1\nestimate:\n  window: {nights: 0}\n", [(3, "estimate.window.nights")]),
        ("version: 1\nestimate:\n  estimator: {name: guess}\n", [(3, "estimate.estimator.name")]),
        ("version: 1\nestimate:\n  estimator:\n    headroom: 2.0\n    name: median\n", []),
        ("version: [\n", [(2, "")]),
    ],
)
def test_each_problem_has_its_line_and_key(text: str, places: list[tuple[int, str]]) -> None:
    assert [(problem.line, problem.key) for problem in config_problems(text.encode())] == places


def test_any_bytes_are_answered() -> None:
    for raw in (b"\xff\xfe", b"\x00", b"version: 1\n" + b"a" * 300_000, b"- 1\n", b"&a [*a]\n"):
        assert config_problems(raw)
