"""One line a log record: time, level, who, the constant message, and the record's own data as `name=value`.

Values are JSON in ASCII, so that text from anywhere stays on its line and does nothing to a terminal.
What is logged is decided where it is logged; secrets are never handed to a log.
"""

from __future__ import annotations

import json
import logging

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class DataLines(logging.Formatter):
    """The format of the service's log."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s%(data)s")

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it a traceback where the record carries one."""
        given = {name: value for name, value in vars(record).items() if name not in _OWN and name != "data"}
        record.data = "".join(f" {name}={json.dumps(value, default=str)}" for name, value in given.items())
        return super().format(record)
