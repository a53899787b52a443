"""Which steps are at work in this process, so that a stop can wait for them and begin no others.

A step that is not begun is left: its task goes on there in the process that takes it next. Counts only steps
that somebody waits for; what a step does is its own business.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Underway:
    """Shared by the loop of the engine, on which steps begin and end, and the loop that stops."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._closed = False

    @asynccontextmanager
    async def step(self) -> AsyncIterator[None]:
        """One step from its beginning to the keeping of its result; never entered once closed."""
        if not self._enter():
            await asyncio.Event().wait()  # the process ends, and this wait with it
        try:
            yield
        finally:
            self._leave()

    def close(self, within_s: float) -> bool:
        """Let no step begin, and wait for those at work, in the calling thread; False where some are left."""
        with self._changed:
            self._closed = True
            return self._changed.wait_for(lambda: self._count == 0, within_s)

    def _enter(self) -> bool:
        with self._changed:
            if not self._closed:
                self._count += 1
            return not self._closed

    def _leave(self) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()
