"""Processor time, of this process and of what it ran and waited for: a busy neighbour counts less than by the clock."""

from __future__ import annotations

import resource
from collections.abc import Callable, Sequence


def processor_s() -> float:
    """Seconds of processor that were used so far, by the program and by the system for it."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def turns(rounds: int, works: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Processor seconds of each work in each round; in a round all take turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for own, work in zip(times, works, strict=True):
            started = processor_s()
            work()
            own.append(processor_s() - started)
    return times
