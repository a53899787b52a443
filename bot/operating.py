"""How an operator has a process of the service run: its log, its metrics, its stop, what is kept how long.

Values only; `bot.settings` reads them from the environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LogStyle(StrEnum):
    """How log lines look."""

    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    """From which level on lines are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Operating:
    """`log` None: console on a terminal, else JSON. `metrics_port` 0: nobody listens for scrapes.

    `stop_s` bounds a stop; `keep_days` is how long deliveries, outcomes and ended tasks are kept.
    """

    log: LogStyle | None = None
    level: LogLevel = LogLevel.INFO
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 0
    stop_s: int = 20
    keep_days: int = 90


DEFAULT = Operating()
