"""What the receiver needs: a durable queue, and the notes of what came in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bot.domain import NightlyFilter, RepositoryId, TaskRequest

Counted = Callable[[str, str], None]  # is told the event ("" before it is known) and the answer of each request

TASK = "task"  # the answer to a delivery that became one
FAILED = "failed"  # the queue or the store did; any other answer is the name of a reason


def uncounted(_event: str, _answer: str) -> None:
    """Nobody counts."""


class TaskQueue(Protocol):
    """Where task requests go. Durable when `enqueue` returns."""

    async def enqueue(self, request: TaskRequest) -> None:
        """Add a request; one whose key is known already is not added again."""
        ...


class DeliveryLog(Protocol):
    """What the store notes of deliveries, and what routing asks it."""

    def nightly_filter(self, repository_id: RepositoryId) -> NightlyFilter | None:
        """The stored filter of a repository, None for one never seen."""
        ...

    def note(self, guid: str, event: str, verdict: str) -> bool:
        """Note a delivery with what became of it; False where its GUID was noted before."""
        ...
