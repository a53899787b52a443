"""Promises about what the engine repeats: once a minute, with how often; what differs is told each time."""

import logging

from bot.logs.repeats import MOST_KINDS, QUIET_S, Repeats


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(repeats: Repeats, message: str, level: int = logging.WARNING) -> int | None:
    """How many were left out before this line; None where it is left out itself."""
    record = logging.LogRecord("dbos", level, "", 0, message, None, None)
    return getattr(record, "left_out", 0) if repeats.filter(record) else None


def test_a_line_comes_once_a_minute_with_how_many_were_left_out() -> None:
    clock = Clock()
    repeats = Repeats(clock)
    assert [told(repeats, f"queue thread: try {number}") for number in range(4)] == [0, None, None, None]
    clock.now = QUIET_S
    assert [told(repeats, "queue thread: again"), told(repeats, "queue thread: again")] == [3, None]
    clock.now = 2 * QUIET_S
    assert told(repeats, "queue thread: later") == 1


def test_another_line_or_level_is_told_at_once_and_memory_is_bounded() -> None:
    repeats = Repeats(Clock())
    assert told(repeats, "one: x") == 0
    assert told(repeats, "other: x") == 0
    assert told(repeats, "one: x", logging.ERROR) == 0
    for number in range(MOST_KINDS):
        assert told(repeats, f"kind {number}: x") == 0
    assert told(repeats, "one: x") == 0  # forgotten meanwhile
