"""The median times a factor, to the nearest 10 s: what some public projects write.

Reads `factor`, `rounding` and `min_samples`. It answers "how long does it usually take" and so
lies below half of the runs before the factor: a poor choice where the literal sets a limit
(sgl-project/sglang pull 23120: two spikes of ten were killed). It is here to be measured against.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.calibration.estimators.contract import Computed, Example, Params
from bot.calibration.estimators.quantile import inclusive
from bot.calibration.rounding import Rounding, to_literal

DEFAULTS = Params(factor=Fraction(11, 10), rounding=Rounding.NEAREST_10)


def compute(seconds: Sequence[float], params: Params) -> Computed | None:
    """The literal for the median of `seconds`; None where there are too few."""
    if len(seconds) < max(1, params.min_samples):
        return None
    raw = inclusive(seconds, Fraction(1, 2)) * params.factor
    return Computed(to_literal(raw, params.rounding), raw)


def method(params: Params) -> str:
    """`median x 1.1`."""
    return f"median x {float(params.factor):g}"


EXAMPLES: tuple[Example, ...] = (
    Example((200, 205, 198, 202, 610, 203, 199, 201, 204, 640), 220, DEFAULTS, "202.5 x 1.1 hides two spikes"),
    Example((100, 150, 400), 170, DEFAULTS, "165 to the nearest 10"),
    Example((50,), 60, DEFAULTS, "a half goes up: 55 -> 60"),
    Example((2,), 10, DEFAULTS, "never below 10"),
    Example((), None, DEFAULTS, "nothing measured"),
)
