"""Scores as a table a person reads and as the JSON other programs read.

Computes nothing: the numbers are `score`'s.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields

from bot.calibration.backtest.score import Score

_SHARES = frozenset({"above_literal", "killed"})


def as_json(scores: Sequence[Score]) -> str:
    """A list of objects, one a suite and policy, with the fields of `Score` as keys."""
    return json.dumps([asdict(score) for score in scores], indent=1) + "\n"


def as_markdown(scores: Sequence[Score]) -> str:
    """One row a suite and policy, in the order given; shares in percent."""
    names = [field.name for field in fields(Score)]
    lines = [f"| {' | '.join(names)} |", f"|{'|'.join('---' if x in names[:2] else '---:' for x in names)}|"]
    lines += [f"| {' | '.join(_cell(name, getattr(score, name)) for name in names)} |" for score in scores]
    return "\n".join(lines) + "\n"


def _cell(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value.replace("|", r"\|").replace("\n", " ")
    if isinstance(value, int):
        return str(value)
    if name in _SHARES:
        return f"{100 * value:.2f} %"
    return f"{value:.2f}" if name.endswith(("_update", "_month")) else f"{value:.4f}"
