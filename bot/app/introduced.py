"""Whether GitHub has told this process once who it is: asked at the start, and again until it has.

A GitHub that is away at the start is as one that goes away later: deliveries are kept and tasks wait, in a step
of theirs. What is refused at the start, such as a wrong key, ends it. No task is held up here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.errors import RecalibrateError, RetryableError

START_S = 10.0  # a start waits no longer: until it is over nobody listens for deliveries
AGAIN_S = 30.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Introduced:
    """One process's question to GitHub."""

    start_s: float = START_S
    again_s: float = AGAIN_S
    _why: str = "not asked yet"  # "" once GitHub has told

    async def answers(self) -> None:
        """Raises RetryableError while GitHub has not told; for readiness."""
        if self._why:
            raise RetryableError(self._why)

    @asynccontextmanager
    async def asking(self, who: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
        """Ask now, and where nobody answers again and again until the end.

        Raises:
            UserError: GitHub refuses us.
        """
        try:
            await self._ask(who)
        except RetryableError as error:
            self._tell(error)
        going_on = asyncio.create_task(self._until_told(who))
        try:
            yield
        finally:
            going_on.cancel()
            await asyncio.gather(going_on, return_exceptions=True)

    async def _ask(self, who: Callable[[], Awaitable[object]]) -> None:
        try:
            async with asyncio.timeout(self.start_s):
                await who()
        except TimeoutError:
            raise RetryableError(f"GitHub gave no answer in {self.start_s:g} seconds") from None
        self._why = ""

    async def _until_told(self, who: Callable[[], Awaitable[object]]) -> None:
        while self._why:
            await asyncio.sleep(self.again_s)
            try:
                await self._ask(who)
                log.info("GitHub is reached")
            except RecalibrateError as error:
                self._tell(error)

    def _tell(self, error: RecalibrateError) -> None:
        self._why = str(error)
        log.warning("GitHub is not reached: tasks wait for it", extra={"why": self._why})
