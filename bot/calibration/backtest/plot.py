"""Makespan against edits as a picture, one point a policy. Needs matplotlib, which only this module uses.

The numbers are `score`'s: for each policy the mean over suites. Equal scores give equal bytes of SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean

from bot.calibration.backtest.score import Score
from bot.errors import UserError

SUFFIXES = (".svg", ".png")
_MISSING = "--plot needs matplotlib: install what deploy/requirements-plot.txt pins, or leave --plot out"


def points(scores: Sequence[Score]) -> tuple[tuple[str, float, float], ...]:
    """(policy, edits an update, mean makespan over its lower bound), means over suites, policies in their order."""
    by_policy: dict[str, list[Score]] = {}
    for score in scores:
        by_policy.setdefault(score.policy, []).append(score)
    return tuple(
        (name, fmean(x.edits_per_update for x in some), fmean(x.makespan_mean for x in some))
        for name, some in by_policy.items()
    )


def check(path: Path) -> None:
    """Say at once what would fail after minutes of replaying.

    Raises:
        UserError: the name's ending is no format, or the library is not there.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"--plot: {path.name}: give a name that ends in {' or '.join(SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise UserError(_MISSING)


def draw(scores: Sequence[Score], path: Path) -> None:
    """Write the picture.

    Raises:
        UserError: the library is not there, or the file cannot be written.
    """
    check(path)
    import matplotlib as mpl  # noqa: PLC0415 - an extra that most installations do without
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "recalibrate", "svg.fonttype": "none"}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot(xlabel="edits an update", ylabel="makespan over its lower bound (mean)")
        for name, edits, makespan in points(scores):
            axes.plot([edits], [makespan], "o")
            axes.annotate(name, (edits, makespan), xytext=(6, 4), textcoords="offset points")
        axes.set_title(f"{len({x.suite for x in scores})} suites: fewer edits left, shorter runs down", fontsize=10)
        axes.grid(visible=True, alpha=0.3)
        try:
            figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise UserError(f"--plot: {path}: cannot be written: {error.strerror}") from None
