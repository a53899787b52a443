"""`GET /readyz`: whether a delivery that came now would be kept and its task begun, with named reasons where not.

It asks the store and the queue and changes nothing. That the process lives at all is `/healthz`'s part.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web

ANSWER_S = 3.0  # orchestrators give a probe a few seconds

log = logging.getLogger(__name__)

Probe = Callable[[], Awaitable[None]]


class NotReady(StrEnum):
    """Why a process cannot take work."""

    STORE_AWAY = "store_away"  # the database of what is remembered does not answer
    QUEUE_AWAY = "queue_away"  # the tasks' database does not answer
    QUEUE_STOPPED = "queue_stopped"  # the queue's own thread does not run
    GITHUB_AWAY = "github_away"  # a process that only works has not reached GitHub since it started


@dataclass(frozen=True, slots=True)
class Readiness:
    """Asks each part by its probe, which raises where the part is not well.

    A probe that hangs is not started a second time: the next question waits for the one under way.
    """

    probes: Mapping[NotReady, Probe]
    answer_s: float = ANSWER_S
    _asking: dict[NotReady, asyncio.Future[None]] = field(default_factory=dict)

    async def handle(self, _request: web.Request) -> web.Response:
        """200 where all is well, else 503 with the reasons."""
        reasons = await self.reasons()
        if reasons:
            return web.json_response({"status": "not_ready", "reasons": [one.value for one in reasons]}, status=503)
        return web.json_response({"status": "ready"})

    async def reasons(self) -> tuple[NotReady, ...]:
        """What is not well, in the probes' order; a probe without an answer in `answer_s` seconds is not well."""
        asked = {reason: self._ask(reason) for reason in self.probes}
        await asyncio.wait(asked.values(), timeout=self.answer_s)
        failed = {reason: _trouble(one) for reason, one in asked.items()}
        for reason, why in failed.items():
            if why:
                log.warning("not ready", extra={"reason": reason.value, "why": why})
        return tuple(reason for reason, why in failed.items() if why)

    def _ask(self, reason: NotReady) -> asyncio.Future[None]:
        asked = self._asking.get(reason)
        if asked is None or asked.done():
            asked = self._asking[reason] = asyncio.ensure_future(self.probes[reason]())
        return asked


def _trouble(asked: asyncio.Future[None]) -> str:
    """Why a probe's answer is not a good one, "" where it is."""
    if not asked.done():
        return "no answer"
    if asked.cancelled():
        return "cancelled"
    error = asked.exception()
    return type(error).__name__ if error else ""
