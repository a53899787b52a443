"""Webhook deliveries and what became of each. Fulfils `bot.webhook.ports.DeliveryLog`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa

from bot.domain import NightlyFilter, RepositoryId
from bot.records.deliveries import NotedDelivery
from bot.store.database import Database, insert_new
from bot.store.repositories import RepositoryStates
from bot.store.schema.repositories import deliveries


class Deliveries:
    """One row a GUID; a redelivery keeps its GUID and is told apart by that."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self._states = RepositoryStates(database)

    def nightly_filter(self, repository_id: RepositoryId) -> NightlyFilter | None:
        """What routing goes by, None where nothing usable was read yet."""
        return self._states.nightly_filter(repository_id)

    def note(
        self, guid: str, event: str, verdict: str, *, action: str = "", repository_id: RepositoryId | None = None
    ) -> bool:
        """Note a delivery with what became of it; False where its GUID was noted before.

        A power cut may take a note back: what it led to is in the queue, and a redelivery adds nothing to that.
        """
        row = {
            "guid": guid,
            "event": event,
            "action": action,
            "repository_id": repository_id,
            "verdict": verdict,
            "received_at": self._now(),
        }
        with self._database.note() as connection:
            return insert_new(connection, deliveries, row)

    def find(self, guid: str) -> NotedDelivery | None:
        """A delivery, None for one never noted."""
        with self._database.read() as connection:
            row = connection.execute(sa.select(deliveries).where(deliveries.c.guid == guid)).mappings().first()
            return NotedDelivery(**row) if row else None

    def forget_before(self, moment: datetime) -> int:
        """Delete what was received before a moment; how many that were."""
        with self._database.write() as connection:
            gone = connection.execute(sa.delete(deliveries).where(deliveries.c.received_at < moment))
            return int(gone.rowcount)

    def newest(self, limit: int, skip: int = 0) -> tuple[NotedDelivery, ...]:
        """The last `limit` deliveries before the `skip` newest ones, newest first."""
        order = (deliveries.c.received_at.desc(), deliveries.c.guid)
        with self._database.read() as connection:
            rows = connection.execute(sa.select(deliveries).order_by(*order).limit(limit).offset(skip)).mappings()
            return tuple(NotedDelivery(**row) for row in rows)
