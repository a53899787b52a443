"""From raw seconds to a literal: the buckets of the rule, and the steps public projects use.

Exact arithmetic only (`Fraction`); what the raw seconds are is an estimator's business.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import ceil

LEAST_S = 10  # a literal is never below it: a pass of 0 s must not become est_time=0


class Rounding(StrEnum):
    """How raw seconds become a literal."""

    BUCKETS = "buckets"  # up to the next 10 s while raw <= 200, else up to the next 100 s
    NEAREST_10 = "nearest_10"  # to the nearest 10 s, a half upwards
    WHOLE = "whole"  # up to the next whole second


def exact(number: float) -> Fraction:
    """A number as a person wrote it: 1.1 is 11/10, not its binary neighbour."""
    return Fraction(str(number))


def bucket(raw_s: int) -> int:
    """Up to the next 10 s while raw <= 200, else up to the next 100 s; never below 10 s.

    The rule is radixark/miles' (.claude/skills/ci-e2e-time-tune/SKILL.md); the lower bound is ours.
    """
    step = 10 if raw_s <= 200 else 100
    return max(LEAST_S, -(-raw_s // step) * step)


def to_literal(raw_s: Fraction, rounding: Rounding) -> int:
    """The literal for raw seconds, in whole seconds, at least 10 (`WHOLE`: at least 1)."""
    if rounding is Rounding.BUCKETS:
        return bucket(ceil(raw_s))
    if rounding is Rounding.NEAREST_10:
        tens = (raw_s.numerator + 5 * raw_s.denominator) // (10 * raw_s.denominator)
        return max(LEAST_S, tens * 10)
    return max(1, ceil(raw_s))
