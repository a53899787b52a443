"""How a log line looks: for a person at a terminal, or as JSON for a program that collects lines.

One event is one line: the time, the level, who says it, a constant message, and the data in fields. Text from
anywhere else stays within its field and does nothing to a terminal. A traceback stands in its field as well; for a
person it is shown below the line, each of its lines marked, so that none of them passes for an event.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.logs.context import present
from bot.logs.redaction import Redaction

MOST_CHARACTERS = 4000  # of one value
MOST_OF_TRACE = 16_000  # its end: the error itself stands there
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_ENGINES = {"applicationID", "applicationVersion", "executorID", "traceId", "operationUUID"}  # dbos (3.4) adds them


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def format(self, record: logging.LogRecord) -> str:
        """The line; its own four fields cannot be taken by data of the same name."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        own = {"time": at, "level": record.levelname.lower(), "logger": record.name, "message": _message(record)}
        trace = _trace(self, record)
        line = {**own, **_data(record), **own, **({"trace": trace} if trace else {})}
        return self._redaction.of(json.dumps(line, default=str))


class ConsoleLines(logging.Formatter):
    """For a person. Values are JSON in ASCII."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it a traceback where the record carries one."""
        data = "".join(f" {name}={json.dumps(value, default=str)}" for name, value in _data(record).items())
        line = f"{self.formatTime(record)} {record.levelname} {record.name} {_escaped(_message(record))}{data}"
        trace = _trace(self, record)
        below = [f"  | {_escaped(part)}" for part in trace.splitlines()]
        return "\n".join(self._redaction.of(part) for part in (line, *below))


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()[:MOST_CHARACTERS]
    except (TypeError, ValueError):  # a library's arguments that do not fit its message
        return str(record.msg)[:MOST_CHARACTERS]


def _data(record: logging.LogRecord) -> Mapping[str, Any]:
    """What the work is about, then the record's own data; of two values of one name the record's stands."""
    extra = {name: value for name, value in vars(record).items() if name not in _OWN | _ENGINES}
    task = getattr(record, "operationUUID", None)
    engine = {"task": task} if task else {}
    return {name: _bounded(value) for name, value in {**engine, **present(), **extra}.items()}


def _bounded(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value[:MOST_CHARACTERS]
    text = json.dumps(value, default=str)
    return value if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS]


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    found = formatter.formatException(record.exc_info) if record.exc_info else record.exc_text or ""
    return "\n".join(part for part in (found, record.stack_info or "") if part)[-MOST_OF_TRACE:]


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")
