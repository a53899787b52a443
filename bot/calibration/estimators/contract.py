"""What an estimator is: seconds and parameters in, one computed value out.

Which samples it is given, and whether its value becomes an edit, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from bot.calibration.rounding import Rounding


@dataclass(frozen=True, slots=True)
class Params:
    """What a policy may set for an estimator; each module says which of them it reads.

    `factor` multiplies the measurement (headroom 1.25 is 5/4), `quantile` is inclusive in [0, 1],
    `min_samples` is the fewest samples a value is computed from.
    """

    factor: Fraction = Fraction(5, 4)
    quantile: Fraction = Fraction(9, 10)
    min_samples: int = 1
    rounding: Rounding = Rounding.BUCKETS


THE_RULE = Params()


@dataclass(frozen=True, slots=True)
class Computed:
    """An estimator's answer: `value_s` is the literal, `raw_s` the seconds before rounding."""

    value_s: int
    raw_s: Fraction


@dataclass(frozen=True, slots=True)
class Example:
    """Samples, parameters and the literal they give (None: too few samples). Each becomes a test."""

    seconds: tuple[float, ...]
    value_s: int | None
    params: Params = THE_RULE
    why: str = ""


class EstimatorModule(Protocol):
    """A plain module with these names, listed in `bot.calibration.estimators.ESTIMATORS`."""

    DEFAULTS: Params
    EXAMPLES: tuple[Example, ...]

    def compute(self, seconds: Sequence[float], params: Params) -> Computed | None:
        """The value for these measurements, in any order; None where there are too few."""
        ...

    def method(self, params: Params) -> str:
        """What a report calls it, such as `max x 1.25`."""
        ...
