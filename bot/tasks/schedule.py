"""Whether the rolling pull request may be updated now: at most once a schedule. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot import cron

WEEK = timedelta(days=7)
SLACK = timedelta(hours=12)  # a nightly does not end at the same minute each week


def due(schedule: str, last: datetime | None, now: datetime) -> bool:
    """True where the last update is a schedule ago, or there was none. `schedule` is one the model takes."""
    if schedule == "nightly" or last is None:
        return True
    if schedule == "weekly":
        return now - last >= WEEK - SLACK
    fired = cron.parse(schedule).last_before(now)
    return fired is not None and last < fired
