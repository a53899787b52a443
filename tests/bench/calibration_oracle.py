"""The fewest edits with which any choice of moments could meet the goals on one series, the future known.

A bound and no policy. An edit writes the rule on the newest date, or on the slowest of the newest two, as `default`
and `strict` would; when to edit is free. Inflation and runs above the literal are priced with two multipliers
(Lagrange): the cheapest choice of each file at these prices, less the prices of what the goals allow, is at most
the number of edits of any choice that meets both goals, whatever the prices are. Makespan and kills ask for nothing
here, and killed runs count as seen, so that the truth lies higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.calibration.backtest.replay import ReplaySettings
from bot.calibration.backtest.score import Score
from bot.calibration.backtest.series import Series
from bot.calibration.estimators import ESTIMATORS, THE_RULE


@dataclass(frozen=True, slots=True)
class Prices:
    """In edits: of a second of a literal on one date, and of a run that is above its literal."""

    second: float
    above: float


def fewest_edits(
    series: Series, settings: ReplaySettings, strict: Score, prices: Prices, looks: Sequence[int]
) -> float:
    """A lower bound of edits an update, for values by the rule on the slowest of so many newest dates each."""
    nights = series.seconds[settings.warmup :]
    files = {path for night in series.seconds for path in night}
    spent = sum(_cheapest([night.get(path) for night in series.seconds], settings, prices, looks) for path in files)
    allowed_s = (strict.inflation + 0.02) * sum(sum(night.values()) for night in nights)
    allowed_above = (strict.above_literal + 0.02) * sum(len(night) for night in nights)
    updates = len(range(settings.warmup, len(series.dates), settings.every))
    return (spent - prices.second * allowed_s - prices.above * allowed_above) / updates


def _cheapest(runs: Sequence[float | None], settings: ReplaySettings, prices: Prices, looks: Sequence[int]) -> float:
    """The least cost of one file over all moments of editing it: by literal, date after date."""
    costs: dict[int, float] = {}
    seen: list[float] = []
    for place, seconds in enumerate(runs):
        if costs and place >= settings.warmup and (place - settings.warmup) % settings.every == 0:
            edited = min(costs.values()) + 1
            for value in {_rule(seen[-look:]) for look in looks}:
                costs[value] = min(edited, costs.get(value, edited))
        if seconds is None:
            continue
        costs = costs or {_rule([seconds]): 0.0}
        if place >= settings.warmup:
            costs = {x: cost + prices.second * x + prices.above * (seconds > x) for x, cost in costs.items()}
        seen.append(seconds)
    return min(costs.values())


def _rule(seconds: Sequence[float]) -> int:
    computed = ESTIMATORS["max"].compute(seconds, THE_RULE)
    return computed.value_s if computed else 0
