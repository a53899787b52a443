"""Replays measured series under policies and counts what each would have cost and caused.

`series` reads durations, `contenders` is the table of policies, `replay` runs one over one suite,
`score` is what comes out. Pure: where the rows come from and where the table goes is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.calibration.backtest.contenders import Contender
from bot.calibration.backtest.replay import ReplaySettings, replay
from bot.calibration.backtest.score import Score
from bot.calibration.backtest.series import Series


def backtest(
    series: Iterable[Series], contenders: Iterable[Contender], settings: ReplaySettings
) -> tuple[tuple[Score, ...], tuple[Series, ...]]:
    """A score for every suite and contender, suite by suite; and the suites that are too short.

    A suite is too short where no date is left after the warm-up.
    """
    entrants = tuple(contenders)
    scores: list[Score] = []
    short: list[Series] = []
    for suite in series:
        if len(suite.dates) <= settings.warmup:
            short.append(suite)
            continue
        scores.extend(replay(suite, entrant, settings) for entrant in entrants)
    return tuple(scores), tuple(short)
