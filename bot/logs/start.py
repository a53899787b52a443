"""Sets the process's log up: one handler for everybody, libraries and warnings included.

The only change of the process's global state that this program makes; a command that serves asks for it first.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import TextIO

from bot.logs.lines import ConsoleLines, JsonLines
from bot.logs.redaction import Redaction
from bot.logs.repeats import Repeats
from bot.operating import LogLevel, LogStyle, Operating

_LEVELS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


def start_log(operating: Operating, secrets: Iterable[str], stream: TextIO | None = None) -> logging.Handler:
    """Write lines to `stream` (None: standard error) without these secrets; the handler, to take it away again.

    The level is that of this program's own lines; libraries speak from `warning` on, or at the level where that is
    higher.
    """
    to = stream or sys.stderr
    style = operating.log or (LogStyle.CONSOLE if to.isatty() else LogStyle.JSON)
    handler = logging.StreamHandler(to)
    redaction = Redaction(secrets)
    handler.setFormatter(ConsoleLines(redaction) if style is LogStyle.CONSOLE else JsonLines(redaction))
    level = _LEVELS[operating.level]
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("bot").setLevel(level)
    engine = logging.getLogger("dbos")  # dbos (3.4) gives it a handler and a format of its own where it has none
    engine.handlers[:] = [logging.NullHandler()]
    engine.propagate = True
    engine.filters[:] = [Repeats()]
    logging.captureWarnings(capture=True)
    return handler
