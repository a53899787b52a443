"""What the default policy promises against `strict` on measured and on made-up series, and where it cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.calibration.backtest.contenders import contenders
from bot.calibration.backtest.replay import ReplaySettings, replay
from bot.calibration.backtest.series import Series
from bot.repo_config import DEFAULT
from tests.bench.calibration_kinds import SHAPES, series
from tests.bench.calibration_oracle import Prices, fewest_edits
from tests.bench.calibration_page import PRICES
from tests.bench.calibration_yardstick import GOALS, Trial, outcome
from tests.bench.measured_series import measured

TABLE = contenders(DEFAULT.estimate)
USUAL = next(shape for shape in SHAPES if shape.name == "usual")
MOVING = ("steady", "noisy", "each its own way", "shifts up", "shifts down", "shifts both ways", "growing suite")


def of(data: Path, suite: str) -> tuple[Series, ReplaySettings]:
    """A measured series with the replay its goals are stated for."""
    found = [(one, settings) for _, settings, every in measured(data / "durations") for one in every]
    return next((one, settings) for one, settings in found if one.suite == suite)


def missed(series: Series, settings: ReplaySettings) -> set[str]:
    held = outcome(Trial("", "", series, settings)).held()
    return {goal for goal, holds in zip(GOALS, held, strict=True) if not holds}


@pytest.mark.parametrize(
    ("suite", "out_of_reach"),
    [
        ("cuda-default", set()),
        ("cuda-distributed", set()),
        ("inductor", set()),
        ("cpu-asan", set()),
        ("integration", {"edits"}),
    ],
    ids=["cuda-default", "cuda-distributed", "inductor", "cpu-asan", "integration"],
)
def test_every_goal_holds_on_a_measured_suite_but_one_that_is_out_of_reach(
    shared_data: Path, suite: str, out_of_reach: set[str]
) -> None:
    assert missed(*of(shared_data, suite)) == out_of_reach


@pytest.mark.parametrize("kind", MOVING)
def test_every_goal_holds_on_made_up_series_of_kinds_that_leave_something_to_save(kind: str) -> None:
    assert missed(series(kind, USUAL), USUAL.settings) == set()


def test_knowing_the_future_would_not_bring_edits_to_a_third_where_the_goal_is_missed(shared_data: Path) -> None:
    found, settings = of(shared_data, "integration")
    strict = replay(found, TABLE["strict"], settings)
    assert fewest_edits(found, settings, strict, PRICES, (2,)) > strict.edits_per_update / 3


@pytest.mark.parametrize("kind", ["noisy", "shifts down", "two kinds of host"])
@pytest.mark.parametrize("prices", [Prices(0, 0), Prices(1 / 2000, 0.5)], ids=["free", "priced"])
def test_the_fewest_edits_are_no_more_than_those_of_a_policy_that_meets_the_goals(kind: str, prices: Prices) -> None:
    found = series(kind, USUAL)
    strict = replay(found, TABLE["strict"], USUAL.settings)
    assert fewest_edits(found, USUAL.settings, strict, prices, (2,)) <= strict.edits_per_update


def test_equal_seeds_make_equal_series_and_others_do_not() -> None:
    assert series("noisy", USUAL) == series("noisy", USUAL)
    assert series("noisy", USUAL) != series("noisy", USUAL, seed=2)
