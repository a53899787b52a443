"""Lines of a job log with GitHub's timestamps, on a clock that only the writer moves.

What the lines say is the caller's business.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bot.sandbox.generator.dice import Dice

TICKS = 10_000_000  # a job log's timestamps count tenths of a microsecond
RULE = "=" * 60


class LogWriter:
    """Lines with timestamps on a clock that only this writer moves."""

    def __init__(self, start: datetime, dice: Dice) -> None:
        self._tick = int(start.timestamp()) * TICKS + dice.below(TICKS // 2)
        self._dice = dice
        self._lines: list[str] = []

    @property
    def now(self) -> datetime:
        """The clock, to the second."""
        return datetime.fromtimestamp(self._tick // TICKS, UTC)

    @property
    def tick(self) -> int:
        """The clock in ticks since the epoch."""
        return self._tick

    def wait_until(self, tick: int) -> None:
        """Move the clock forward to `tick`, never back."""
        self._tick = max(self._tick, tick)

    def wait(self, seconds: float) -> None:
        """Move the clock forward."""
        self._tick += int(seconds * TICKS)

    def say(self, *texts: str) -> None:
        """Write lines a few microseconds apart."""
        for text in texts:
            self._tick += self._dice.below(3000) + 90
            self._lines.append(f"{self.now:%Y-%m-%dT%H:%M:%S}.{self._tick % TICKS:07d}Z {text}")

    def encode(self) -> bytes:
        """The log as GitHub serves it: UTF-8 with a BOM, LF after every line."""
        return ("\ufeff" + "\n".join(self._lines) + "\n").encode()
