"""The table of estimators: how seconds become a literal. A new one is one file and one line here.

Policies choose from the table by name (`bot.calibration.policies`).
"""

from __future__ import annotations

from bot.calibration.estimators import max as max_
from bot.calibration.estimators import mean, median, quantile
from bot.calibration.estimators.contract import THE_RULE, Computed, EstimatorModule, Example, Params

ESTIMATORS: dict[str, EstimatorModule] = {
    "max": max_,
    "quantile": quantile,
    "median": median,
    "mean": mean,
}

__all__ = ["ESTIMATORS", "THE_RULE", "Computed", "EstimatorModule", "Example", "Params"]
