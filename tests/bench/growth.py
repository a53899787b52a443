"""How time grows with log bytes, files, history and jobs: a few sizes of each, and the exponent that fits them.

An exponent of 1 is linear, of 0 is none; it is the slope of a straight line through the logarithms (least
squares). All in processor seconds, so that a busy neighbour counts less; of a whole nightly, those of the
service's own process and of the local GitHub.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bot.evidence.read import read_log
from bot.sandbox.generator import Generate
from bot.store.open import Store
from tests.bench import service
from tests.bench.clock import turns
from tests.bench.log_parse import big_log
from tests.bench.stages import Stopwatch, ground, nights, walk

FILES, WINDOW = (250, 500, 1000), 14
NIGHTS, NIGHT_FILES = (25, 50, 100, 200), 50
JOBS = (20, 40, 80)
LOG_MB = (4, 16, 64)
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds at each size. `goal`: the exponent may be this at most."""

    name: str
    unit: str
    points: tuple[tuple[int, float], ...]
    goal: float

    @property
    def exponent(self) -> float:
        """The slope of log(seconds) over log(size)."""
        xs = [math.log(size) for size, _ in self.points]
        ys = [math.log(max(seconds, 1e-6)) for _, seconds in self.points]
        x, y = sum(xs) / len(xs), sum(ys) / len(ys)
        below = sum((one - x) ** 2 for one in xs)
        return round(sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / below, 2)


def measure(data: Path | None) -> list[Growth]:
    """All of them; that of log bytes only where there is data."""
    logs = [] if data is None else [Growth("log bytes", "MB of one log", _logs(data), 1.1)]
    return [
        *logs,
        Growth("files", f"registrations, {WINDOW} nights", _taking_turns(FILES, _of_files), 1.15),
        Growth("history", f"nights in the store, {NIGHT_FILES} registrations", _taking_turns(NIGHTS, _of_nights), 0.3),
        Growth("jobs", "jobs of one nightly, its second", tuple((jobs, _of_jobs(jobs)) for jobs in JOBS), 1.1),
    ]


def _taking_turns(sizes: Sequence[int], seconds: Callable[[int], float]) -> tuple[tuple[int, float], ...]:
    """The median of each size, over rounds in which all take turns."""
    rounds = [[seconds(size) for size in sizes] for _ in range(ROUNDS)]
    return tuple((size, median(times)) for size, times in zip(sizes, zip(*rounds, strict=True), strict=True))


def _of_files(files: int) -> float:
    return _stages(files, WINDOW)


def _of_nights(many: int) -> float:
    return _stages(NIGHT_FILES, many)


def _stages(files: int, many: int) -> float:
    """Processor seconds of all stages but reading logs."""
    with tempfile.TemporaryDirectory(prefix="recalibrate-growth-") as name:
        watch = Stopwatch()
        on = ground(Path(name) / "made", files, Stopwatch())
        store = Store.open(f"sqlite:///{Path(name) / 'store.sqlite'}")
        try:
            walk(on, nights(on.night, many), store, watch)
        finally:
            store.close()
        return sum(watch.seconds.values())


def _of_jobs(jobs: int) -> float:
    return asyncio.run(service.nightly(Generate(jobs=jobs, edits=16))).processor_s


def _logs(data: Path) -> tuple[tuple[int, float], ...]:
    with tempfile.TemporaryDirectory(prefix="recalibrate-growth-") as name:
        found = [(size, big_log(data, Path(name) / str(size), size)) for size in LOG_MB]
        times = turns(ROUNDS, [lambda log=log: read_log(log) for _, log in found])
        return tuple((size, min(some)) for (size, _), some in zip(found, times, strict=True))
