"""How a log line looks: for a person at a terminal, or as JSON for a program that collects lines.

One event is one line: the time, the level, who says it, a constant message, and the data in fields. Text from
anywhere else stays within its field and does nothing to a terminal. A traceback stands in its field as well; for a
person it is shown below the line, each of its lines marked, so that none of them passes for an event. Secrets are
taken out of each text before it is quoted: of the quoted one a quote's backslash could go with a secret.
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
_LOOKED_THROUGH = 8  # times as much is looked through for secrets, so that none is cut before it is seen
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
        message = _message(record, self._redaction)
        own = {"time": at, "level": record.levelname.lower(), "logger": record.name, "message": message}
        trace = _trace(self, record, self._redaction)
        return json.dumps({**own, **_data(record, self._redaction), **own, **({"trace": trace} if trace else {})})


class ConsoleLines(logging.Formatter):
    """For a person. Values are JSON in ASCII."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it a traceback where the record carries one."""
        message = _escaped(_message(record, self._redaction))
        data = "".join(f" {name}={json.dumps(value)}" for name, value in _data(record, self._redaction).items())
        line = f"{self.formatTime(record)} {record.levelname} {record.name} {message}{data}"
        below = _trace(self, record, self._redaction).splitlines()
        return "\n".join((line, *(f"  | {_escaped(part)}" for part in below)))


def _message(record: logging.LogRecord, redaction: Redaction) -> str:
    try:
        text = record.getMessage()
    except (TypeError, ValueError):  # a library's arguments that do not fit its message
        text = str(record.msg)
    return _bounded(text, redaction)


def _data(record: logging.LogRecord, redaction: Redaction) -> Mapping[str, Any]:
    """What the work is about, then the record's own data; of two values of one name the record's stands."""
    extra = {name: value for name, value in vars(record).items() if name not in _OWN | _ENGINES}
    task = getattr(record, "operationUUID", None)
    engine = {"task": task} if task else {}
    return {name: _value(value, redaction) for name, value in {**engine, **present(), **extra}.items()}


def _value(value: Any, redaction: Redaction) -> Any:
    """A value that JSON has, without secrets; as text where it is no such value, or too large."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _bounded(value, redaction)
    try:
        text = json.dumps(value, default=str)
    except (TypeError, ValueError):  # keys that are no text, a value that holds itself
        return _bounded(repr(value), redaction)
    if len(text) > MOST_CHARACTERS:
        return _bounded(text, redaction)
    return _inside(json.loads(text), redaction)


def _inside(value: Any, redaction: Redaction) -> Any:
    """The same value of JSON, each of its texts without secrets."""
    if isinstance(value, str):
        return redaction.of(value)
    if isinstance(value, list):
        return [_inside(one, redaction) for one in value]
    if isinstance(value, dict):
        return {redaction.of(name): _inside(one, redaction) for name, one in value.items()}
    return value


def _bounded(text: str, redaction: Redaction) -> str:
    return redaction.of(text[: MOST_CHARACTERS * _LOOKED_THROUGH])[:MOST_CHARACTERS]


def _trace(formatter: logging.Formatter, record: logging.LogRecord, redaction: Redaction) -> str:
    found = formatter.formatException(record.exc_info) if record.exc_info else record.exc_text or ""
    text = "\n".join(part for part in (found, record.stack_info or "") if part)
    return redaction.of(text[-MOST_OF_TRACE * _LOOKED_THROUGH :])[-MOST_OF_TRACE:]


def _escaped(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")
