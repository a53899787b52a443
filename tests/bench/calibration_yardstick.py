"""Holds `default` against `strict` on many series it was not chosen on: `python -m tests.bench.calibration_yardstick`.

With a folder of measured durations as the argument it cuts those in many ways beside the made-up kinds: halves in
time, random halves of the files, other partitions, schedules and warm-ups. Prints which goals hold how often; a
replay is `bot.calibration.backtest`'s.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bot.calibration.backtest.contenders import contenders
from bot.calibration.backtest.replay import ReplaySettings, replay
from bot.calibration.backtest.score import Score
from bot.calibration.backtest.series import Series
from bot.repo_config import DEFAULT
from tests.bench.calibration_kinds import KINDS, SHAPES, series
from tests.bench.measured_series import measured

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Trial:
    """One series and how it is replayed. `group` is the line of the table it counts in."""

    group: str
    name: str
    series: Series
    settings: ReplaySettings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the two policies scored in one trial."""

    group: str
    name: str
    default: Score
    strict: Score

    def held(self) -> tuple[bool, ...]:
        """Whether each of `GOALS` holds."""
        return tuple(goal(self.default, self.strict) <= _ROUNDING for goal in GOALS.values())


# By how much each goal is missed; 0 or less where it holds.
GOALS: dict[str, Callable[[Score, Score], float]] = {
    "edits": lambda ours, strict: ours.edits_per_update - strict.edits_per_update / 3,
    "kills": lambda ours, strict: ours.killed - strict.killed,
    "inflation": lambda ours, strict: ours.inflation - strict.inflation - 0.02,
    "above literal": lambda ours, strict: ours.above_literal - strict.above_literal - 0.02,
    "makespan": lambda ours, strict: ours.makespan_mean - strict.makespan_mean - 0.005,
}


def made_up(seed: int = 1) -> Iterator[Trial]:
    """Every kind in every shape."""
    for kind in KINDS:
        for shape in SHAPES:
            yield Trial(kind, shape.name, series(kind, shape, seed), shape.settings)


def cut(durations: Path) -> Iterator[Trial]:
    """The measured series, whole and cut."""
    for _, settings, suites in measured(durations):
        for suite in suites:
            yield Trial(suite.suite, "as measured", suite, settings)
            yield from (Trial(suite.suite, name, part, settings) for name, part in _parts(suite))
            yield from (Trial(suite.suite, name, suite, other) for name, other in _other(settings))


def _parts(suite: Series) -> Iterator[tuple[str, Series]]:
    middle = len(suite.dates) // 2
    for name, some in (("first half", slice(0, middle)), ("second half", slice(middle, None))):
        yield name, replace(suite, dates=suite.dates[some], seconds=suite.seconds[some])
    files = sorted({path for night in suite.seconds for path in night})
    for seed in (1, 2, 3):
        half = set(Random(seed).sample(files, len(files) // 2))  # noqa: S311 - a reproducible half
        nights = tuple({path: x for path, x in night.items() if path in half} for night in suite.seconds)
        yield f"half of the files, {seed}", replace(suite, seconds=nights)


def _other(settings: ReplaySettings) -> Iterator[tuple[str, ReplaySettings]]:
    yield from ((f"{size} partitions", replace(settings, partitions=size)) for size in (2, 3, 8, 16))
    yield from ((f"every {n}", replace(settings, every=n)) for n in (1, 3, 7, 14) if n != settings.every)
    yield from ((f"warm-up {n}", replace(settings, warmup=n)) for n in (5, 10, 30) if n != settings.warmup)


def run(trials: Iterable[Trial], workers: int = 2) -> list[Outcome]:
    """The outcomes in the order of the trials; one that no date is left of has none."""
    long_enough = [x for x in trials if len(x.series.dates) > x.settings.warmup]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(outcome, long_enough))


def outcome(trial: Trial) -> Outcome:
    """Both policies on one trial."""
    table = contenders(DEFAULT.estimate)
    default, strict = (replay(trial.series, table[name], trial.settings) for name in ("default", "strict"))
    return Outcome(trial.group, trial.name, default, strict)


def table(outcomes: Sequence[Outcome]) -> str:
    """A row a group: of how many trials each goal holds, and our edits over those of `strict`."""
    rows = [f"| series | trials | {' | '.join(GOALS)} | all | edits |", f"|---{'|---:' * (len(GOALS) + 3)}|"]
    groups = dict.fromkeys(x.group for x in outcomes)
    rows += [_row(group, [x for x in outcomes if x.group == group]) for group in groups]
    return "\n".join([*rows, _row("**all**", outcomes)]) + "\n"


def _row(group: str, outcomes: Sequence[Outcome]) -> str:
    held = [x.held() for x in outcomes]
    counts = [sum(goals) for goals in zip(*held, strict=True)]
    ours, strict = (sum(edits) for edits in zip(*(_edits(x) for x in outcomes), strict=True))
    share = f"{100 * ours / strict:.0f} %" if strict else "none"
    return f"| {group} | {len(held)} | {' | '.join(map(str, counts))} | {sum(map(all, held))} | {share} |"


def _edits(one: Outcome) -> tuple[float, float]:
    return one.default.edits_per_update, one.strict.edits_per_update


def misses(outcomes: Iterable[Outcome]) -> str:
    """A line a missed goal, with how far it is missed and both scores."""
    lines = []
    for x in outcomes:
        for (name, goal), held in zip(GOALS.items(), x.held(), strict=True):
            if not held:
                lines.append(f"{x.group}, {x.name}: {name} by {goal(x.default, x.strict):.4f}")
    return "\n".join(lines)


if __name__ == "__main__":
    found = run([*made_up(), *(cut(Path(sys.argv[1])) if len(sys.argv) > 1 else ())])
    print(table(found))
    print(misses(found))
