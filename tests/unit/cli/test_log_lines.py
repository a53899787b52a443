"""Promises of the service's log lines."""

from __future__ import annotations

import logging

from bot.cli.log_lines import DataLines


def line(**data: object) -> str:
    record = logging.makeLogRecord({"name": "bot.x", "levelname": "INFO", "msg": "task ended", **data})
    return DataLines().format(record)


def test_a_records_data_is_on_its_line() -> None:
    assert line(task="nightly:1:2:3", tried=2).endswith('bot.x task ended task="nightly:1:2:3" tried=2')


def test_a_record_without_data_is_its_message() -> None:
    assert line().endswith("INFO bot.x task ended")


def test_text_from_anywhere_stays_on_one_line_and_inert() -> None:
    shown = line(detail="a\nINFO forged\x1b[2J\u202e")
    assert "\n" not in shown
    assert shown.isascii()
    assert "\x1b" not in shown


def test_values_that_are_not_json_are_shown_as_text() -> None:
    assert line(where=logging).endswith('"')
