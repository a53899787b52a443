"""A sandbox on an event loop in a thread of its own, for callers that are not asynchronous.

PyGithub blocks; so does a test that drives it. Everything of the sandbox itself stays on its loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from bot.sandbox.server import Sandbox, Urls
from bot.sandbox.state import Json
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Delivery

T = TypeVar("T")
_WAIT_S = 240.0


class ThreadedSandbox:
    """`with ThreadedSandbox(world) as running:` a sandbox that listens until the block ends."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sandbox = Sandbox(world)
        self.urls = Urls("", "", "", "")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sandbox-loop", daemon=True)

    def __enter__(self) -> ThreadedSandbox:
        self._thread.start()
        self.urls = self.run(self.sandbox.start())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.run(self.sandbox.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_WAIT_S)
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the sandbox's loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_WAIT_S)

    def deliver(self, event: str, payload: Json, guid: str = "") -> Delivery:
        """Send one signed webhook and wait for the answer."""
        return self.run(self.sandbox.deliver(event, payload, guid=guid))

    def complete_run(self, run_id: int, attempt: int = 1, guid: str = "") -> Delivery:
        """Deliver `workflow_run: completed`."""
        return self.run(self.sandbox.complete_run(run_id, attempt, guid=guid))
