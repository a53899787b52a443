"""The limits of a configuration in a policy stamp: read again as they were written, and never guessed."""

from __future__ import annotations

import pytest

from bot.repo_config.runner import Timeout

OWN = Timeout.model_validate(
    {"floor_s": 100, "factor": 2.0, "suites": {"*-mi350": {"floor_s": 5}, "*": {"floor_s": 9}}}
)


@pytest.mark.parametrize("limits", [Timeout(), OWN], ids=["default", "suites of their own"])
def test_limits_are_read_again_as_they_were_stamped(limits: Timeout) -> None:
    found = Timeout.of_stamp({**limits.stamped(), "guards": "drop"})
    assert found == limits
    assert list(found.suites) == list(limits.suites)  # the first match wins


@pytest.mark.parametrize(
    "stamp",
    [
        {},
        {"timeout_floor_s": 100},
        {"timeout_floor_s": 0, "timeout_factor": 2.0},
        {"timeout_floor_s": 100, "timeout_factor": 2.0, "timeout_floors": "["},
        {"timeout_floor_s": 100, "timeout_factor": 2.0, "timeout_floors": "[]"},
        {"timeout_floor_s": 100, "timeout_factor": 2.0, "timeout_floors": '{"*": "x"}'},
    ],
    ids=["nothing", "half", "out of bounds", "no JSON", "a list", "no number"],
)
def test_what_tells_no_limits_gives_none(stamp: dict[str, str | int | float]) -> None:
    assert Timeout.of_stamp(stamp) is None
