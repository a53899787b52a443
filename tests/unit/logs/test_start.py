"""Promises of the log's set-up: one handler, one format for everybody, the level asked for."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bot.logs.start import start_log
from bot.operating import LogLevel, LogStyle, Operating


@contextmanager
def started(operating: Operating, stream: io.StringIO, secrets: tuple[str, ...] = ()) -> Iterator[None]:
    """The log of this process, and everything as it was afterwards."""
    root, own, engine = (logging.getLogger(name) for name in ("", "bot", "dbos"))
    levels, before, speaks = (root.level, own.level), list(engine.handlers), engine.propagate
    filters = list(engine.filters)
    handler = start_log(operating, secrets, stream)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(levels[0])
        own.setLevel(levels[1])
        engine.handlers[:], engine.propagate, engine.filters[:] = before, speaks, filters
        logging.captureWarnings(capture=False)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_libraries_and_warnings_come_in_the_same_format_without_secrets() -> None:
    out = io.StringIO()
    with started(Operating(log=LogStyle.JSON), out, ("planted-secret",)):
        logging.getLogger("bot.x").info("own", extra={"tried": 1})
        logging.getLogger("aiohttp.server").error("Error handling request %s", "planted-secret")
        logging.getLogger("dbos").warning("engine")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(capture=True)  # the block above put the showing of warnings back
            warnings.warn("old\nthing", stacklevel=1)
    found = {line["logger"]: line for line in lines(out)}
    assert set(found) == {"bot.x", "aiohttp.server", "dbos", "py.warnings"}
    assert found["aiohttp.server"]["message"] == "Error handling request [secret]"
    assert "old\nthing" in found["py.warnings"]["message"]


def test_the_engine_says_the_same_once_and_we_say_it_each_time() -> None:
    out = io.StringIO()
    with started(Operating(log=LogStyle.JSON), out):
        for number in range(3):
            logging.getLogger("dbos").warning(f"queue thread: away {number}")  # noqa: G004 - as the engine does
            logging.getLogger("bot.x").warning("step waits")
    assert [line["logger"] for line in lines(out)] == ["dbos", "bot.x", "bot.x", "bot.x"]


def test_libraries_chatter_is_left_out_and_the_level_holds() -> None:
    out = io.StringIO()
    with started(Operating(log=LogStyle.JSON, level=LogLevel.WARNING), out):
        logging.getLogger("bot.x").info("left out")
        logging.getLogger("bot.x").warning("told")
    with started(Operating(log=LogStyle.JSON, level=LogLevel.DEBUG), out):
        logging.getLogger("bot.x").debug("told too")
        logging.getLogger("urllib3").debug("left out")
    assert [line["message"] for line in lines(out)] == ["told", "told too"]


def test_a_stream_that_is_no_terminal_gets_json_unless_told_otherwise() -> None:
    out = io.StringIO()
    with started(Operating(), out):
        logging.getLogger("bot.x").info("as json")
    assert lines(out)[0]["message"] == "as json"
    person = io.StringIO()
    with started(Operating(log=LogStyle.CONSOLE), person):
        logging.getLogger("bot.x").info("for a person")
    assert person.getvalue().endswith("INFO bot.x for a person\n")
