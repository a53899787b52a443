"""An inclusive quantile of the passes, with or without headroom and buckets.

Reads `quantile`, `factor`, `rounding` and `min_samples` (never fewer than three: a p90 of two
samples says nothing). With few samples it is nearly the slowest pass and not stable; the report
shows n and the spread beside it. `factor` 1 with `WHOLE` is the raw percentile of
sgl-project/sglang-ci-stats (derive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.calibration.estimators.contract import Computed, Example, Params
from bot.calibration.rounding import Rounding, to_literal

FEWEST = 3
DEFAULTS = Params(min_samples=FEWEST)
_RAW = Params(factor=Fraction(1), min_samples=FEWEST, rounding=Rounding.WHOLE)


def compute(seconds: Sequence[float], params: Params) -> Computed | None:
    """The literal for the quantile of `seconds`; None for fewer than three."""
    if len(seconds) < max(FEWEST, params.min_samples):
        return None
    raw = inclusive(seconds, params.quantile) * params.factor
    return Computed(to_literal(raw, params.rounding), raw)


def method(params: Params) -> str:
    """`p90 x 1.25`."""
    return f"p{float(params.quantile * 100):g} x {float(params.factor):g}"


def inclusive(seconds: Sequence[float], quantile: Fraction) -> Fraction:
    """Linear interpolation between the two nearest ranks, the ends included (numpy's default).

    In whole numbers with one division at the end: a backtest asks for it a million times.
    """
    ordered = sorted(seconds)
    low, part = divmod((len(ordered) - 1) * quantile.numerator, quantile.denominator)
    a, b = ordered[low].as_integer_ratio()
    c, d = ordered[min(low + 1, len(ordered) - 1)].as_integer_ratio()
    return Fraction(a * d * (quantile.denominator - part) + c * b * part, b * d * quantile.denominator)


EXAMPLES: tuple[Example, ...] = (
    Example((100, 110, 400), 342, _RAW, "inclusive p90 of three: 110 + 0.8 x 290"),
    Example((100, 110, 400), 500, DEFAULTS, "with headroom and buckets: 427.5 -> 428 -> 500"),
    Example((200, 205, 198, 202, 610, 203, 199, 201, 204, 640), 613, _RAW, "two spikes of ten lie at the p90"),
    Example((48, 48, 48), 60, DEFAULTS, "equal passes"),
    Example((100, 110), None, DEFAULTS, "two samples are too few"),
    Example((), None, DEFAULTS, "nothing measured"),
)
