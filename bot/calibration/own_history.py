"""What the policy and the plain rule would have done over a repository's own nights: a small backtest.

Said in a report once there are enough nights. It changes no decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bot.calibration.backtest.contenders import contenders
from bot.calibration.backtest.replay import ReplaySettings, replay
from bot.calibration.backtest.score import Score
from bot.calibration.backtest.series import Series
from bot.domain import Backend, OwnHistory, RunEvidence, RunId, Status, Suite, TestPath, TimeoutRule
from bot.repo_config.estimation import Estimation

FEWEST_NIGHTS = 14
WARMUP = 5  # dates; the rest is counted

Group = tuple[Suite, Backend]


@dataclass(frozen=True, slots=True)
class Terms:
    """How a repository calibrates, packs and limits."""

    estimation: Estimation
    sizes: Mapping[Group, int]  # partitions; a suite that is not in it is one partition
    rule: Callable[[Suite], TimeoutRule]


def own_history(runs: Sequence[RunEvidence], terms: Terms) -> OwnHistory | None:
    """The verdict over trusted runs with carried-over jobs marked; None for too few nights, or nothing to replay."""
    nights = {one.run.run_id for one in runs if one.run.trusted and one.run.created_at}
    if len(nights) < FEWEST_NIGHTS:
        return None
    table = contenders(terms.estimation)
    ours, rule = [], []
    for group, series in _series(runs).items():
        if len(series.dates) > WARMUP:
            settings = ReplaySettings(terms.sizes.get(group, 1), every=1, warmup=WARMUP, rule=terms.rule(group[0]))
            ours.append(replay(series, table["default"], settings))
            rule.append(replay(series, table["strict"], settings))
    return _verdict(nights, ours, rule) if ours else None


def _series(runs: Sequence[RunEvidence]) -> dict[Group, Series]:
    """The passes of each suite by date; of two of one file on one date the slower."""
    suites: dict[Group, dict[date, dict[TestPath, float]]] = {}
    for one in runs:
        if not one.run.trusted or one.run.created_at is None:
            continue
        day = one.run.created_at.date()
        for row in (row for job in one.jobs if job.carried_from is None for row in job.rows):
            if row.status is Status.PASSED and row.elapsed_s is not None and row.doubt is None:
                night = suites.setdefault((row.suite, row.backend), {}).setdefault(day, {})
                night[row.path] = max(float(row.elapsed_s), night.get(row.path, 0.0))
    return {
        group: Series(group[0], tuple(sorted(dates)), tuple(dates[day] for day in sorted(dates)))
        for group, dates in sorted(suites.items())
    }


def _verdict(nights: set[RunId], ours: Sequence[Score], rule: Sequence[Score]) -> OwnHistory:
    files = sum(score.files for score in ours)

    def both(value: Callable[[Score], float]) -> tuple[float, float]:
        first, second = (sum(value(score) * score.files for score in scores) / files for scores in (ours, rule))
        return first, second

    return OwnHistory(
        nights=len(nights),
        files=files,
        policy="default",
        edits=(sum(x.edits_per_update for x in ours), sum(x.edits_per_update for x in rule)),
        killed=both(lambda score: score.killed),
        makespan=both(lambda score: score.makespan_mean),
    )
