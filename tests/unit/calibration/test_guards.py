from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.calibration.guards import least_clearing
from bot.domain import TimeoutRule


@given(st.integers(0, 40_000), st.integers(1, 5000), st.sampled_from([1.0, 1.1, 1.25, 2.0]))
@example(2000, 1800, 1.25)
@example(1799, 1800, 1.25)
@settings(deadline=None, derandomize=True, max_examples=300)
def test_the_least_clearing_literal_clears_and_the_bucket_below_does_not(
    pass_s: int, floor_s: int, factor: float
) -> None:
    rule = TimeoutRule(floor_s, factor)
    literal = least_clearing(rule, pass_s)
    assert rule.effective(literal) > pass_s
    below = literal - (10 if literal <= 200 else 100)
    assert literal <= 10 or literal % (10 if literal <= 200 else 100) == 0
    assert below <= 0 or rule.effective(below) <= pass_s
