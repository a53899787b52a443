"""The HTTP end of the webhook: read within limits, verify, route, enqueue, note, answer 202.

It calls nobody but the queue and the store. The order matters: a request is enqueued before its
delivery is noted, so that a crash between the two leads to a second, harmless enqueue and never
to a lost delivery. Errors of ours become a 500 only where the queue or the store fails; GitHub
then shows the delivery as failed and the sweep asks for it again.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial

from aiohttp import web

from bot.domain import RepositoryId, TaskRequest
from bot.logs.context import about
from bot.webhook.failures import Failures
from bot.webhook.ports import FAILED, TASK, Counted, DeliveryLog, TaskQueue, uncounted
from bot.webhook.routing import repository_id, repository_name, route
from bot.webhook.verify import Delivery, DeliveryRefusal, verify

GITHUB_MAX_BYTES = 25 * 1024 * 1024  # GitHub caps payloads at 25 MB and sends nothing larger
FILTERED = "workflow_run"  # the only event that a repository's stored filter decides about
READ_TIMEOUT_S = 10.0  # GitHub itself gives up after ten seconds

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Receiver:
    """Takes deliveries. `max_bytes` bounds a body before anything of it is parsed."""

    secret: str
    queue: TaskQueue
    deliveries: DeliveryLog
    max_bytes: int = GITHUB_MAX_BYTES
    app_id: int = 0  # ours: no other App's check runs are acted upon
    failures: Failures = field(default_factory=Failures)
    counted: Counted = uncounted
    threads: Executor | None = None  # for the log's work; None: the loop's own, which tasks keep busy

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one POST."""
        body = await self._body(request)
        unread = isinstance(body, DeliveryRefusal)  # so that no signature could be looked at
        delivery = body if isinstance(body, DeliveryRefusal) else verify(request.headers, body, self.secret)
        if isinstance(delivery, DeliveryRefusal):
            wait_s = self.failures.wait_s(request.remote or "") if unread or delivery.unsigned else 0
            return self._too_many(wait_s) if wait_s else self._refuse(request, delivery)
        with about(delivery=delivery.guid, repository=repository_name(delivery)):
            return await self._answer(request, delivery)

    async def _answer(self, request: web.Request, delivery: Delivery) -> web.Response:
        try:
            verdict = await self._take(delivery)
        except Exception:
            self.counted(delivery.event, FAILED)
            raise
        if isinstance(verdict, DeliveryRefusal):
            return self._refuse(request, verdict, delivery.event)
        return web.json_response({"delivery": delivery.guid, "verdict": verdict}, status=202)

    async def _body(self, request: web.Request) -> bytes | DeliveryRefusal:
        if request.content_length is not None and request.content_length > self.max_bytes:
            return DeliveryRefusal.TOO_LARGE
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                async for chunk in request.content.iter_chunked(64 * 1024):
                    size += len(chunk)
                    if size > self.max_bytes:
                        return DeliveryRefusal.TOO_LARGE
                    chunks.append(chunk)
        except (TimeoutError, ValueError, ConnectionError, web.RequestPayloadError):
            return DeliveryRefusal.BAD_PAYLOAD
        return b"".join(chunks)

    async def _take(self, delivery: Delivery) -> str | DeliveryRefusal:
        number = repository_id(delivery) if delivery.event == FILTERED else None
        stored, loop = None, asyncio.get_running_loop()
        if number is not None:
            stored = await loop.run_in_executor(self.threads, self.deliveries.nightly_filter, RepositoryId(number))
        verdict = route(delivery, stored, self.app_id)
        if isinstance(verdict, DeliveryRefusal):
            return verdict
        if isinstance(verdict, TaskRequest):
            await self.queue.enqueue(verdict)
        name = verdict.key if isinstance(verdict, TaskRequest) else verdict.value
        self.counted(delivery.event, TASK if isinstance(verdict, TaskRequest) else name)
        note = partial(self.deliveries.note, delivery.guid, delivery.event, name)
        first = await loop.run_in_executor(self.threads, note)
        log.info(
            "delivery", extra={"delivery": delivery.guid, "event": delivery.event, "verdict": name, "first": first}
        )
        return name

    def _too_many(self, wait_s: int) -> web.Response:
        """No log line: whoever floods the receiver must not flood the log."""
        refusal = DeliveryRefusal.TOO_MANY
        self.counted("", refusal.value)
        headers = {"Retry-After": str(wait_s)}
        return web.json_response({"refused": refusal.value}, status=refusal.status, headers=headers)

    def _refuse(self, request: web.Request, refusal: DeliveryRefusal, event: str = "") -> web.Response:
        self.counted(event, refusal.value)
        log.warning("delivery refused", extra={"reason": refusal.value, "remote": request.remote})
        return web.json_response({"refused": refusal.value}, status=refusal.status)
