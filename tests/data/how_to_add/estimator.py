"""The middle between the fastest and the slowest pass."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.calibration.estimators.contract import Computed, Example, Params
from bot.calibration.rounding import to_literal

DEFAULTS = Params()


def compute(seconds: Sequence[float], params: Params) -> Computed | None:
    """The literal, None without a measurement."""
    if not seconds:
        return None
    raw = (Fraction(min(seconds)) + Fraction(max(seconds))) / 2 * params.factor
    return Computed(to_literal(raw, params.rounding), raw)


def method(params: Params) -> str:
    """What a report calls it."""
    return f"middle x {float(params.factor):g}"


EXAMPLES: tuple[Example, ...] = (
    Example((100, 140), 150, DEFAULTS, "the middle is 120, a quarter more is 150"),
    Example((), None, DEFAULTS, "nothing measured"),
)
