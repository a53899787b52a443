"""Workflows, attempts of their runs, and what is left of the jobs' logs. Steps are not known here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.sandbox.state import Json


class LogFate(StrEnum):
    """What GitHub answers for one job's log."""

    SERVED = "served"
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410: expired
    FORBIDDEN = "forbidden"  # 403
    EMPTY = "empty"  # 200 without a byte
    EXPIRED_LINK = "expired_link"  # the first signed URL is too old already


@dataclass(slots=True)
class JobLogFile:
    """The log of one job: a file on disk, or why there is none."""

    path: Path | None = None
    fate: LogFate = LogFate.SERVED


@dataclass(slots=True)
class RunAttempt:
    """One attempt of one workflow run: GitHub's run object without URLs and repository, and its jobs."""

    run: Json
    jobs: list[Json]
    total_count: int | None = None  # a count that differs from the jobs listed, where a scenario wants one


@dataclass(slots=True)
class Workflow:
    """One workflow file."""

    id: int
    path: str
    name: str
