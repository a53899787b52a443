"""Promises of the service's log lines, for a person and for a program."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest

from bot.logs.context import about
from bot.logs.lines import MOST_CHARACTERS, ConsoleLines, JsonLines
from bot.logs.redaction import Redaction

HOSTILE = "a\nINFO forged\x1b[2J\u202e\r"
FORMATS = [pytest.param(ConsoleLines, id="console"), pytest.param(JsonLines, id="json")]


def record(**data: Any) -> logging.LogRecord:
    return logging.makeLogRecord({"name": "bot.x", "levelname": "INFO", "msg": "task ended", **data})


def line(**data: Any) -> str:
    return ConsoleLines(Redaction()).format(record(**data))


def fields(**data: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(JsonLines(Redaction()).format(record(**data)))
    return found


def failing(text: str) -> dict[str, Any]:
    try:
        raise ValueError(text)
    except ValueError:
        return {"exc_info": sys.exc_info()}


def test_a_records_data_is_on_its_line() -> None:
    assert line(task="nightly:1:2:3", tried=2).endswith('bot.x task ended task="nightly:1:2:3" tried=2')
    assert fields(task="nightly:1:2:3", tried=2) | {"time": ""} == {
        "time": "",
        "level": "info",
        "logger": "bot.x",
        "message": "task ended",
        "task": "nightly:1:2:3",
        "tried": 2,
    }


def test_a_record_without_data_is_its_message() -> None:
    assert line().endswith("INFO bot.x task ended")


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("data", [{"detail": HOSTILE}, {"msg": "%s", "args": (HOSTILE,)}], ids=["field", "message"])
def test_text_from_anywhere_stays_on_one_line_and_inert(style: type[Any], data: dict[str, Any]) -> None:
    shown = style(Redaction()).format(record(**data))
    assert "\n" not in shown
    assert shown.isascii()
    assert not any(ord(char) < 32 for char in shown)


def test_a_traceback_of_a_hostile_message_holds_no_line_that_passes_for_an_event() -> None:
    first, *below = line(**failing(HOSTILE)).splitlines()
    assert first.endswith("task ended")
    assert len(below) >= 4
    assert {part[:4] for part in below} == {"  | "}
    assert not any(ord(char) < 32 for part in below for char in part)


def test_a_traceback_in_json_is_a_field_of_the_one_line() -> None:
    shown = JsonLines(Redaction()).format(record(**failing("broken")))
    assert "\n" not in shown
    assert json.loads(shown)["trace"].endswith("ValueError: broken")


def test_values_that_are_not_json_are_shown_as_text() -> None:
    assert line(where=logging).endswith('"')
    assert "module 'logging'" in fields(where=logging)["where"]


def test_data_cannot_take_the_place_of_a_lines_own_fields() -> None:
    found = fields(level="none", logger="nobody", time="never")
    assert (found["level"], found["logger"]) == ("info", "bot.x")
    assert found["time"] != "never"


@pytest.mark.parametrize("value", ["x" * 100_000, {"x": "y" * 100_000}], ids=["text", "mapping"])
def test_a_value_is_bounded(value: object) -> None:
    assert len(json.dumps(fields(detail=value)["detail"])) <= MOST_CHARACTERS * 2 + 2


def test_what_the_work_is_about_is_on_the_line_and_the_records_own_word_counts() -> None:
    with about(delivery="g1", task="nightly:1:2:3", repository="zoo/otter", run=2, attempt=3):
        found = fields(task="another")
        assert (found["delivery"], found["repository"], found["run"], found["attempt"]) == ("g1", "zoo/otter", 2, 3)
        assert found["task"] == "another"
        assert 'delivery="g1"' in line()
    assert "delivery" not in fields()


def test_the_engines_own_lines_name_their_task() -> None:
    assert fields(operationUUID="nightly:1:2:3", executorID="host", applicationID="")["task"] == "nightly:1:2:3"
    assert "executorID" not in fields(executorID="host")


def test_a_library_whose_arguments_do_not_fit_its_message_is_shown_all_the_same() -> None:
    assert fields(msg="%d files", args=("many",))["message"] == "%d files"


SECRET = 'pa"ss\\wörd-of-a-heron'
STEALING = 'Bearer aaaaaaaa"", "level": "none'  # its first quote stands behind what looks like a secret
LEFT_OPEN = "-----BEGIN RSA PRIVATE KEY-----MIIEowIB"


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize(
    "data",
    [
        {"msg": "%s", "args": (SECRET,)},
        {"detail": SECRET},
        {"detail": [{"why": SECRET}]},
        {"detail": {SECRET: 1}},
        {"detail": "x" * (MOST_CHARACTERS - 8) + SECRET},
        failing(SECRET),
    ],
    ids=["message", "field", "nested", "name", "cut", "trace"],
)
def test_a_secret_that_would_be_quoted_is_taken_out_before(style: type[Any], data: dict[str, Any]) -> None:
    shown = style(Redaction([SECRET])).format(record(**data))
    assert "heron" not in shown
    assert "pa\\" not in shown


@pytest.mark.parametrize("text", [STEALING, LEFT_OPEN, f"{LEFT_OPEN}{STEALING}"], ids=["quote", "open", "both"])
def test_what_looks_like_a_secret_cannot_break_a_line_of_json(text: str) -> None:
    found = fields(detail=text, after="seen")
    assert (found["level"], found["after"]) == ("info", "seen")


def test_a_key_in_a_traceback_is_taken_out_over_all_its_lines() -> None:
    body = "MIIEowIBAAKCAQEA7bq8\nq9LmXw0Yv3Zk2Vh1Aa=="
    shown = line(**failing(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"))
    assert not any(part in shown for part in body.splitlines())


def test_a_value_that_json_cannot_write_is_shown_as_text() -> None:
    itself: list[object] = []
    itself.append(itself)
    assert fields(detail={("a", 1): 2})["detail"] == "{('a', 1): 2}"
    assert fields(detail=itself)["detail"] == "[[...]]"
