"""How the generated suites' runner packs files into partitions; what the App plans is `bot.calibration`'s part."""

from __future__ import annotations

from collections.abc import Sequence

from bot.sandbox.generator.spec import TestSpec


def pack(tests: Sequence[TestSpec], size: int) -> tuple[tuple[TestSpec, ...], ...]:
    """The runner's partitions: longest estimate first, ties by path, each to the least loaded partition."""
    buckets: list[list[TestSpec]] = [[] for _ in range(size)]
    loads = [0] * size
    for test in sorted(tests, key=lambda each: (-each.est, each.path)):
        emptiest = loads.index(min(loads))
        buckets[emptiest].append(test)
        loads[emptiest] += test.est
    return tuple(map(tuple, buckets))
