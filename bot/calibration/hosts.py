"""Which runners took much longer, or much less, than the others for one key: named, never averaged away."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from bot.domain import HostMedian, Sample

FAR = 1.5  # a runner's median over, or under, the median of all runners' medians
FEWEST_OTHERS = 2  # with one other nobody can say which of the two is the outlier


def medians(samples: Iterable[Sample]) -> dict[str, float]:
    """The median seconds of each named runner, by name."""
    seconds: dict[str, list[int]] = {}
    for sample in samples:
        if sample.row.runner_name:
            seconds.setdefault(sample.row.runner_name, []).append(sample.elapsed_s)
    return {name: median(seconds[name]) for name in sorted(seconds)}


def count(samples: Iterable[Sample]) -> int:
    """How many runners the passes came from; those that no log names count as one."""
    return len({sample.row.runner_name for sample in samples})


def outliers(samples: Iterable[Sample]) -> tuple[HostMedian, ...]:
    """The runners far off the others, by name; none where fewer than two others were measured."""
    by_host = medians(samples)
    if len(by_host) <= FEWEST_OTHERS:
        return ()
    usual = median(by_host.values())
    return tuple(
        HostMedian(name, own, median(value for other, value in by_host.items() if other != name))
        for name, own in by_host.items()
        if _far(own, usual)
    )


def _far(own: float, others: float) -> bool:
    return own > FAR * others or others > FAR * own
