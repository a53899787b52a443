"""Replays one suite under one contender, date by date, with the service's own rules.

The warm-up is history only: literals start at the rule on a file's first value, the first update
comes after the last warm-up date, and every update sees earlier dates alone. A run longer than
its limit is killed: it yields no sample, and a timeout where the policy looks for one. A mass change
counts as answered at once: what a person would say is not in a series.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from bot.calibration.backtest.contenders import Contender
from bot.calibration.backtest.score import Score, Tally, makespan_ratio
from bot.calibration.backtest.series import Series
from bot.calibration.doubts import collapsed
from bot.calibration.estimators import ESTIMATORS, THE_RULE
from bot.calibration.guards import Facts, hold, least_clearing
from bot.calibration.material import Change, SuiteState, choose
from bot.calibration.policies import Guard, Policy
from bot.domain import TestPath, TimeoutRule


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """How a replay runs: partitions, dates between updates, dates before the first, the limit."""

    partitions: int = 5
    every: int = 7
    warmup: int = 21
    rule: TimeoutRule = field(default_factory=TimeoutRule)


@dataclass(slots=True)
class _File:
    """What one file has shown so far. Places are indices of the suite's dates, ascending."""

    literal: float
    limit: int
    places: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    timeouts: list[int] = field(default_factory=list)


def replay(series: Series, contender: Contender, settings: ReplaySettings) -> Score:
    """The score of one contender on one suite, which has more dates than the warm-up.

    The time is that of an update for every `every` dates and a packing for each date.
    """
    files: dict[TestPath, _File] = {}
    tally = Tally()
    for place, night in enumerate(series.seconds):
        _introduce(files, night, settings.rule)
        if place >= settings.warmup:
            if (place - settings.warmup) % settings.every == 0:
                tally.update(_update(files, series.dates[:place], contender, settings))
            literals = {path: files[path].literal for path in night}
            tally.count(night, literals, {path: files[path].limit for path in night})
            tally.makespans.append(makespan_ratio(literals, night, settings.partitions))
        _remember(files, night, place)
    span = (series.dates[settings.warmup], series.dates[-1])
    return tally.score(series.suite, contender.name, len(files), span)


def _introduce(files: dict[TestPath, _File], night: Mapping[TestPath, float], rule: TimeoutRule) -> None:
    """A new file's author measured it once and applied the rule."""
    for path in night.keys() - files.keys():
        computed = ESTIMATORS["max"].compute([night[path]], THE_RULE)
        literal = float(computed.value_s) if computed else night[path]
        files[path] = _File(literal, rule.effective(literal))


def _remember(files: Mapping[TestPath, _File], night: Mapping[TestPath, float], place: int) -> None:
    for path, seconds in night.items():
        file = files[path]
        if seconds > file.limit:
            file.timeouts.append(place)
        else:
            file.places.append(place)
            file.seconds.append(seconds)


def _update(
    files: Mapping[TestPath, _File], dates: Sequence[date], contender: Contender, settings: ReplaySettings
) -> int:
    """Carries out what the contender would propose; returns the number of edits."""
    policy = contender.policy
    oldest = _oldest(dates, policy)
    changes = tuple(_change(path, file, oldest, contender, settings.rule) for path, file in files.items())
    edits = {x.path: x.after for x in changes if x.after != x.before}
    if policy.material is not None and edits:
        nights = _nights(files, len(dates), policy.nights_lower)
        chosen = choose(SuiteState(changes, nights, settings.partitions), policy.material)
        edits = {path: edits[path] for path in chosen}
    for path, after in edits.items():
        files[path].literal, files[path].limit = after, settings.rule.effective(after)
    return len(edits)


def _oldest(dates: Sequence[date], policy: Policy) -> int:
    """The place of the oldest date inside the policy's window."""
    if policy.window is None or not dates:
        return 0
    first = max(0, len(dates) - policy.window.nights)
    if policy.window.days is None:
        return first
    return max(first, bisect_left(dates, dates[-1] - timedelta(days=policy.window.days)))


def _change(path: TestPath, file: _File, oldest: int, contender: Contender, rule: TimeoutRule) -> Change:
    """What is proposed for one file from what it took inside the window."""
    policy = contender.policy
    seconds, doubtful = _confirmed(_inside(file, oldest, policy), policy)
    if not seconds:
        return Change(path, file.literal, file.literal, 0.0, 0.0, file.limit)
    slowest = max(seconds[-policy.binding :] if policy.binding else seconds)
    after = _proposed(file, seconds, slowest, contender, rule)
    if after != file.literal:
        facts = Facts(
            literal=file.literal,
            value_s=int(after),
            rule=rule,
            nights=len(seconds),
            complete_nights=len(seconds),
            timeouts=len(file.timeouts) - bisect_left(file.timeouts, oldest),
            known_pass_s=slowest,
            unconfirmed=doubtful,
        )
        after = file.literal if hold(facts, policy) else after
    takes = seconds[-policy.nights_lower :]
    return Change(path, file.literal, after, sum(takes) / len(takes), slowest, file.limit)


def _inside(file: _File, oldest: int, policy: Policy) -> list[float]:
    """The passes inside the window; without guard rails only those the estimate needs."""
    first = bisect_left(file.places, oldest)
    if policy.recent is not None and not policy.guards:
        first = max(first, len(file.seconds) - policy.recent)
    return file.seconds[first:]


def _confirmed(seconds: list[float], policy: Policy) -> tuple[list[float], int]:
    """The passes without one that is far below those before it, and how many were set aside."""
    if Guard.COLLAPSE not in policy.guards:
        return seconds, 0
    fallen = collapsed(seconds, policy.needs)
    return [x for place, x in enumerate(seconds) if place not in fallen], len(fallen)


def _proposed(file: _File, seconds: Sequence[float], slowest: float, contender: Contender, rule: TimeoutRule) -> float:
    """The contender's value; the present literal where it does not want to edit, or cannot say."""
    policy = contender.policy
    used = seconds if policy.recent is None else seconds[-policy.recent :]
    if contender.wants is not None and not contender.wants(file.literal, used):
        return file.literal
    computed = ESTIMATORS[policy.estimator].compute(used, policy.params)
    if computed is None:
        return file.literal
    floored = policy.recent is not None and policy.guards
    return float(max(computed.value_s, least_clearing(rule, slowest) if floored else 0))


def _nights(files: Mapping[TestPath, _File], dates: int, count: int) -> tuple[dict[TestPath, float], ...]:
    """What the suite's files took on its newest `count` nights, newest first; killed ones until then."""
    oldest = max(0, dates - count)
    nights: list[dict[TestPath, float]] = [{} for _ in range(dates - oldest)]
    for path, file in files.items():
        for place in file.timeouts[bisect_left(file.timeouts, oldest) :]:
            nights[dates - 1 - place][path] = float(file.limit)
        first = bisect_left(file.places, oldest)
        for place, seconds in zip(file.places[first:], file.seconds[first:], strict=True):
            nights[dates - 1 - place][path] = seconds
    return tuple(nights)
