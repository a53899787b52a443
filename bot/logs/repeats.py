"""What the engine says again and again is told once a minute: away from its database it has fifteen lines a second.

Whatever differs before a line's first colon is another line. Lines of this program's own are not touched.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

QUIET_S = 60.0
MOST_KINDS = 200


class Repeats(logging.Filter):
    """Lets a line through, and then no other of its kind for a while. `clock` gives rising seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """True for a line that is told; it says how many of its kind were left out since the last one."""
        kind, now = f"{record.levelno} {record.getMessage().partition(':')[0]}", self._clock()
        if now - self._told.get(kind, -QUIET_S) < QUIET_S:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return False
        if len(self._told) >= MOST_KINDS:
            self._told.clear()
            self._left_out.clear()
        self._told[kind] = now
        left_out = self._left_out.pop(kind, 0)
        if left_out:
            record.left_out = left_out
        return True
