"""The table of policies a backtest compares: ours, and what public projects use.

A contender is a policy of ours, or one that another project's script amounts to; the replay
treats all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bot.calibration.estimators import Params
from bot.calibration.policies import Policy, WindowRule, policy_from
from bot.calibration.rounding import Rounding
from bot.repo_config.estimation import Estimation


@dataclass(frozen=True, slots=True)
class Contender:
    """A policy under test. `wants` says from a literal and the samples whether to edit at all."""

    name: str
    policy: Policy
    wants: Callable[[float, Sequence[float]], bool] | None = None


def half_off_by_60(literal: float, seconds: Sequence[float]) -> bool:
    """True where at least half of the samples are over 60 s off (vllm-project/vllm-ascend)."""
    off = sum(abs(x - literal) > 60 for x in seconds)
    return 2 * off >= len(seconds) > 0


def contenders(estimation: Estimation) -> dict[str, Contender]:
    """All contenders by name; `default` and `strict` with the repository's own settings."""
    strict = policy_from(estimation, "strict")
    plain = policy_from(estimation.model_copy(update={"material": "off"}), "default")
    three = Params(min_samples=3)
    raw = Params(factor=Fraction(1), min_samples=3, rounding=Rounding.WHOLE)
    tens = Params(factor=Fraction(11, 10), rounding=Rounding.NEAREST_10)
    mean = replace(tens, factor=Fraction(1))
    table = (
        Contender("default", policy_from(estimation, "default")),
        Contender("default-all", plain),  # material: off
        Contender("strict", replace(strict, window=WindowRule(2))),
        Contender("strict-1", replace(strict, window=WindowRule(1))),
        Contender("p90-bucket", Policy("p90-bucket", "quantile", three, recent=15)),
        Contender("p90-raw", Policy("p90-raw", "quantile", raw, recent=15)),
        Contender("median-110", Policy("median-110", "median", tens, recent=10)),
        Contender("mean-60s", Policy("mean-60s", "mean", mean, recent=10), half_off_by_60),
    )
    return {entrant.name: entrant for entrant in table}
