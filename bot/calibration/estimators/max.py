"""The slowest pass with headroom: `ceil(max * factor)` in the buckets of the rule. The default.

Reads `factor`; always rounds by buckets. One slow night decides, which is meant: the literal also
sets the limit at which a file is killed, so the slowest healthy run is the one to clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.calibration.estimators.contract import THE_RULE, Computed, Example, Params
from bot.calibration.rounding import bucket

DEFAULTS = THE_RULE


def compute(seconds: Sequence[float], params: Params) -> Computed | None:
    """The literal for the slowest of `seconds`; None where there is none."""
    if len(seconds) < max(1, params.min_samples):
        return None
    numerator, denominator = max(seconds).as_integer_ratio()
    raw = -(-numerator * params.factor.numerator // (denominator * params.factor.denominator))
    return Computed(bucket(raw), Fraction(raw))


def method(params: Params) -> str:
    """`max x 1.25`."""
    return f"max x {float(params.factor):g}"


def _boundary(elapsed: int, value: int) -> Example:
    return Example((elapsed,), value, why=f"{elapsed} s passed")


EXAMPLES: tuple[Example, ...] = (
    *(_boundary(e, v) for e, v in ((0, 10), (7, 10), (8, 10), (9, 20), (159, 200), (160, 200), (161, 300))),
    *(_boundary(e, v) for e, v in ((240, 300), (241, 400), (568, 800), (957, 1200), (966, 1300), (1228, 1600))),
    *(_boundary(e, v) for e, v in ((1440, 1800), (1441, 1900), (1829, 2300), (2295, 2900))),
    Example((957, 966), 1300, why="the slower of two nights decides"),
    Example((200, 205, 198, 202, 610, 203, 199, 201, 204, 640), 800, why="a median of 202.5 would kill two of ten"),
    Example((300, 330), 500, why="one file in two partitions of one run: the slower pass"),
    Example((100,), 110, Params(factor=Fraction(11, 10)), why="another headroom, exactly: 110, not 110.00000000000001"),
    Example((), None, why="nothing measured"),
)
