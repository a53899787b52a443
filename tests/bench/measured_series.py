"""The measured series of the shared data, each with the replay that the goals are stated for. Judges nothing."""

from __future__ import annotations

import gzip
from pathlib import Path

from bot.calibration.backtest.replay import ReplaySettings
from bot.calibration.backtest.series import Series, read_series

MEASURED = (
    ("pytorch-daily.csv.gz", ReplaySettings(partitions=5, every=7, warmup=21)),
    ("dbt-weekly.csv.gz", ReplaySettings(partitions=5, every=1, warmup=5)),
)


def measured(durations: Path) -> tuple[tuple[str, ReplaySettings, tuple[Series, ...]], ...]:
    """File name, replay and suites of each measured series in the folder `durations`."""
    found = []
    for name, settings in MEASURED:
        with gzip.open(durations / name, "rt", encoding="utf-8") as lines:
            found.append((name, settings, read_series(lines)[0]))
    return tuple(found)
