"""A line of 100 MB costs no more memory than any other, whatever it is made of."""

from __future__ import annotations

import tracemalloc

import pytest

from bot.evidence.dialects import DIALECTS
from bot.evidence.lines import blocks_of
from tests.unit.evidence.tiny_logs import ZOO

SIZE = 100_000_000


@pytest.mark.parametrize("unit", [b"A", b"_estimated_time=", b"  elapsed=", b"\x1b["])
def test_a_line_of_a_hundred_megabytes(unit: bytes) -> None:
    scanner = DIALECTS["suite_runner"].scanner(ZOO)
    filler = unit * (1_000_000 // len(unit))
    left = SIZE

    def readinto(view: memoryview) -> int:
        nonlocal left
        got = min(len(view), len(filler), left)
        view[:got] = filler[:got]
        left -= got
        return got

    tracemalloc.start()
    try:
        for buffer, stop in blocks_of(readinto):
            scanner.feed(buffer, stop)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scanner.finish().plan is None
    assert peak < 8_000_000
