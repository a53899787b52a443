"""The page with the lines of one job's log that rows cite: they stay when GitHub has dropped the log. Pure."""

from __future__ import annotations

from itertools import islice

from bot.dashboard.templates import Frame, render
from bot.dashboard.views import LogView
from bot.publish.links import Links
from bot.publish.visible import clipped

MOST_LINES = 5000
LONGEST_LINE = 2000  # characters; a kept line may have 64 KiB


def render_log(view: LogView, frame: Frame) -> str:
    """The whole page."""
    run = Links(server=view.server).run(view.log.run)
    shown = islice(view.log.lines.items(), MOST_LINES)
    return render(
        "log.html",
        frame,
        view=view,
        lines=tuple((number, clipped(text, LONGEST_LINE)) for number, text in shown),
        left_out=max(0, len(view.log.lines) - MOST_LINES),
        job_address=run and f"{run.partition('/attempts/')[0]}/job/{view.log.job.job_id}",
    )
