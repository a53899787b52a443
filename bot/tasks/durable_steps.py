"""Steps whose results the durable engine (dbos 3.4) keeps: a finished one is not done again after a crash.

Which tasks there are is `bot.tasks.queue`'s part.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from math import inf
from typing import Any

from dbos import DBOS

from bot.errors import UserError
from bot.tasks.stepping import PASSING, Json, ParkedError, Patience, StepEnd, Tried, Work, asked_s, untold
from bot.tasks.underway import Underway

log = logging.getLogger(__name__)


class DurableSteps:
    """Steps that survive a crash: a finished one is not done again, a wait goes on where it was.

    The engine runs tasks on an event loop of its own (dbos 3.4); the work of a step is done on
    `home`, the loop that sessions and locks belong to.
    """

    def __init__(
        self, home: asyncio.AbstractEventLoop, patience: Patience, underway: Underway, tried: Tried = untold
    ) -> None:
        self._home = home
        self._patience = patience
        self._underway = underway
        self._tried = tried
        self._lost_s = 0.0  # with failed tries and waits; replayed from what is kept of them

    async def pause(self, seconds: float) -> None:
        """Wait, durably."""
        await DBOS.sleep_async(seconds)

    def at_the_end(self) -> DurableSteps:
        """See `bot.tasks.stepping.Steps.at_the_end`."""
        return DurableSteps(self._home, replace(self._patience, lane_s=inf), self._underway, self._tried)

    async def take(self, name: str, work: Work) -> Json:
        """See `bot.tasks.stepping.Steps.take`."""
        for tried in range(1, self._patience.tries + 1):
            async with self._underway.step():
                answer = await DBOS.run_step_async({"name": name}, self._told, work)
            if "value" in answer:
                value: Json = answer["value"]
                return value
            if answer["kind"] == "user":
                raise UserError(answer["why"])
            asked = answer["after_s"]
            wait = self._patience.wait_s(asked, tried)
            self._lost_s += answer["took_s"] + wait
            log.info("step waits", extra={"step": name, "why": answer["why"], "tried": tried, "asked_s": asked})
            if tried == self._patience.tries or self._lost_s > self._patience.lane_s:
                break
            await DBOS.sleep_async(wait)
        raise ParkedError(name, answer["why"], asked)

    async def _told(self, work: Work) -> dict[str, Any]:
        """A step's result, or its expected failure as a value: what is kept replays the same."""
        begun, end = time.monotonic(), StepEnd.BROKEN
        try:
            value = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(work), self._home))
            end = StepEnd.DONE
            return {"value": value}
        except PASSING as error:
            end, took_s = StepEnd.LATER, round(time.monotonic() - begun, 3)
            return {"kind": "retry", "why": str(error), "after_s": asked_s(error), "took_s": took_s}
        except UserError as error:
            end = StepEnd.REFUSED
            return {"kind": "user", "why": str(error)}
        finally:
            self._tried(end)


async def _awaited(work: Work) -> Json:
    return await work()
