"""The mean times a factor, to the nearest 10 s: what vllm-project/vllm-ascend writes.

Reads `factor`, `rounding` and `min_samples`. Not robust (one slow night moves it by its share)
and, without headroom, below many healthy runs. It is here to be measured against.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from bot.calibration.estimators.contract import Computed, Example, Params
from bot.calibration.rounding import Rounding, to_literal

DEFAULTS = Params(factor=Fraction(1), rounding=Rounding.NEAREST_10)


def compute(seconds: Sequence[float], params: Params) -> Computed | None:
    """The literal for the mean of `seconds`; None where there are too few."""
    if len(seconds) < max(1, params.min_samples):
        return None
    raw = Fraction(fsum(seconds)) * params.factor / len(seconds)
    return Computed(to_literal(raw, params.rounding), raw)


def method(params: Params) -> str:
    """`mean x 1`."""
    return f"mean x {float(params.factor):g}"


EXAMPLES: tuple[Example, ...] = (
    Example((455, 461, 448), 450, DEFAULTS, "454.67 to the nearest 10"),
    Example((455, 461, 448, 18), 350, DEFAULTS, "one skipped run that passed in 18 s pulls it down by a quarter"),
    Example((), None, DEFAULTS, "nothing measured"),
)
