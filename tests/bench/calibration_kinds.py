"""Made-up series of test durations, kind by kind: what other suites may look like that nobody has measured for us.

Each kind is one function from a random source, a file's usual seconds and the places of the dates to what the file
takes on each (None: it does not run). Equal seeds give equal series. Nothing is fitted to a measured series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from bot.calibration.backtest.replay import ReplaySettings
from bot.calibration.backtest.series import Series
from bot.domain import TestPath

Seconds = list[float | None]


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a series is, and how it is replayed. `days` apart are its dates."""

    name: str
    files: int
    dates: int
    days: int
    settings: ReplaySettings


@dataclass(frozen=True, slots=True)
class Suite:
    """What the files of one series share: how many dates there are, and what each date does to all of them."""

    dates: int
    factors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which durations behave. `usual_s` is the median of the files' usual seconds."""

    one: Callable[[Random, float, Suite], Seconds]
    usual_s: float = 120.0
    night: Callable[[Random, int, int], float] = lambda _random, _place, _dates: 1.0


SHAPES = (
    Shape("few files, every night", 12, 60, 1, ReplaySettings(partitions=2, every=1, warmup=5)),
    Shape("weekly runs", 60, 30, 7, ReplaySettings(partitions=3, every=1, warmup=5)),
    Shape("usual", 120, 120, 1, ReplaySettings(partitions=5, every=7, warmup=21)),
    Shape("many files", 400, 100, 1, ReplaySettings(partitions=8, every=7, warmup=21)),
    Shape("many ranks", 160, 80, 1, ReplaySettings(partitions=16, every=3, warmup=14)),
    Shape("fortnightly", 80, 150, 1, ReplaySettings(partitions=4, every=14, warmup=30)),
)


def _noise(spread: float) -> Callable[[Random, float, Suite], Seconds]:
    def one(random: Random, usual: float, suite: Suite) -> Seconds:
        return [usual * factor * random.lognormvariate(0, spread) for factor in suite.factors]

    return one


def _tails(random: Random, usual: float, suite: Suite) -> Seconds:
    """One run in fifty takes two to four times as long."""
    return [
        usual * random.lognormvariate(0, 0.05) * (random.uniform(2, 4) if random.random() < 0.02 else 1)
        for _ in range(suite.dates)
    ]


def _drift(least: float, most: float) -> Callable[[Random, float, Suite], Seconds]:
    """From `usual` to a multiple of it, little by little."""

    def one(random: Random, usual: float, suite: Suite) -> Seconds:
        end = math.log(random.uniform(least, most))
        return [
            usual * math.exp(end * place / suite.dates) * random.lognormvariate(0, 0.04) for place in range(suite.dates)
        ]

    return one


def _shifts(least: float, most: float) -> Callable[[Random, float, Suite], Seconds]:
    """One file in two changes its level for good, on a date of its own."""

    def one(random: Random, usual: float, suite: Suite) -> Seconds:
        at = random.randrange(2 * suite.dates)
        factor = math.exp(random.uniform(math.log(least), math.log(most)))
        return [usual * (factor if place >= at else 1) * random.lognormvariate(0, 0.05) for place in range(suite.dates)]

    return one


def _hosts(random: Random, usual: float, suite: Suite) -> Seconds:
    """Two kinds of host: three nights of ten are on the slower."""
    return [usual * random.lognormvariate(0, 0.03) * (1.5 if random.random() < 0.3 else 1) for _ in range(suite.dates)]


def _joins(random: Random, usual: float, suite: Suite) -> Seconds:
    """Half of the files come one after another."""
    since = max(0, random.randrange(-suite.dates, suite.dates))
    return [None if place < since else usual * random.lognormvariate(0, 0.08) for place in range(suite.dates)]


def _seldom(random: Random, usual: float, suite: Suite) -> Seconds:
    """It runs on four dates of ten."""
    return [usual * random.lognormvariate(0, 0.1) if random.random() < 0.4 else None for _ in range(suite.dates)]


def _refreshed(random: Random, usual: float, suite: Suite) -> Seconds:
    """A table that is refreshed in parts: the same number again, four times of five; it falls to a third."""
    found: Seconds = []
    now = usual
    for place in range(suite.dates):
        if not found or random.random() < 0.2:
            now = usual * math.exp(-1.1 * place / suite.dates) * random.lognormvariate(0, 0.05)
        found.append(now)
    return found


def _weekend(_random: Random, place: int, _dates: int) -> float:
    return 0.7 if place % 7 in (5, 6) else 1.0


def _machine(random: Random, _place: int, _dates: int) -> float:
    return random.choice((0.85, 1.0, 1.0, 1.2))


def _slow_spell(_random: Random, place: int, dates: int) -> float:
    return 2.5 if dates * 2 // 5 <= place < dates * 3 // 5 else 1.0


KINDS: Mapping[str, Kind] = {
    "steady": Kind(_noise(0.03)),
    "noisy": Kind(_noise(0.1)),
    "very noisy": Kind(_noise(0.3)),
    "heavy tails": Kind(_tails),
    "slower, bit by bit": Kind(_drift(1.0, 2.5)),
    "faster, bit by bit": Kind(_drift(0.4, 1.0)),
    "each its own way": Kind(_drift(0.5, 2.0)),
    "shifts up": Kind(_shifts(1.2, 3.0)),
    "shifts down": Kind(_shifts(0.3, 0.8)),
    "shifts both ways": Kind(_shifts(0.4, 2.5)),
    "two kinds of host": Kind(_hosts),
    "one host a night": Kind(_noise(0.04), night=_machine),
    "weekends": Kind(_noise(0.05), night=_weekend),
    "a slow spell": Kind(_noise(0.05), night=_slow_spell),
    "growing suite": Kind(_joins),
    "seldom run": Kind(_seldom),
    "refreshed in parts": Kind(_refreshed),
    "tests of seconds": Kind(_noise(0.15), usual_s=5.0),
    "tests near their limit": Kind(_noise(0.1), usual_s=900.0),
}


def series(name: str, shape: Shape, seed: int = 1) -> Series:
    """The series of a kind in a shape. Equal arguments give an equal series."""
    kind = KINDS[name]
    random = Random(f"{name}/{shape.name}/{seed}")  # noqa: S311 - a reproducible series, no secret
    suite = Suite(shape.dates, tuple(kind.night(random, place, shape.dates) for place in range(shape.dates)))
    nights: list[dict[TestPath, float]] = [{} for _ in range(shape.dates)]
    for number in range(shape.files):
        usual = min(3000.0, max(0.5, kind.usual_s * random.lognormvariate(0, 1.2)))
        for place, seconds in enumerate(kind.one(random, usual, suite)):
            if seconds is not None:
                nights[place][TestPath(f"tests/test_{number:03}.py")] = round(seconds, 2)
    first = date(2026, 1, 5)
    days = tuple(first + timedelta(days=shape.days * place) for place in range(shape.dates))
    return Series(f"{name}, {shape.name}", days, tuple(nights))
