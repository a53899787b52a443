from __future__ import annotations

import pytest

from bot.calibration.policies import policy_from
from bot.config_file import Valid, parse
from bot.domain import CommitSha, Run, RunId
from bot.tasks.values import PINNED, Pinned


@pytest.mark.parametrize(
    "estimate",
    ["{material: off}", "{estimator: {name: median}}", "{material: off, guards: [drop]}", "{}"],
    ids=["material off", "an estimator alone", "guard rails", "nothing"],
)
def test_a_configuration_comes_back_from_a_step_as_it_was_written(estimate: str) -> None:
    state = parse(f"version: 1\nestimate: {estimate}\n".encode())
    assert isinstance(state, Valid)
    run = Run("zoo/otter", RunId(1), 1, CommitSha("a" * 40))
    pinned = Pinned(run, "main", CommitSha("b" * 40), state.config)
    again = PINNED.load(PINNED.dump(pinned))
    assert isinstance(again, Pinned)
    assert again == pinned
    assert policy_from(again.config.estimate) == policy_from(state.config.estimate)
