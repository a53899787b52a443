"""Webhook deliveries as GitHub remembers them: which failed, and asking for them again.

GitHub does not retry by itself. Needs the App's own credential; reads no payload.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from pydantic import RootModel

from bot.forge.client import GitHubClient
from bot.forge.payloads import DeliveryPayload
from bot.records import FailedDelivery


class _DeliveryPage(RootModel[tuple[DeliveryPayload, ...]]):
    """One page of deliveries, newest first."""


async def failed_deliveries(app: GitHubClient, since: datetime) -> tuple[FailedDelivery, ...]:
    """Deliveries since a moment (aware) that never arrived, oldest first.

    Raises:
        RefusedError: the credential is not the App's.
        BusyError: GitHub did not answer.
    """
    newest: dict[str, DeliveryPayload] = {}
    arrived: set[str] = set()
    tries: Counter[str] = Counter()
    async for page in app.pages(_DeliveryPage, "/app/hook/deliveries?per_page=100"):
        recent = [item for item in page.root if item.delivered_at >= since]
        for item in recent:
            newest.setdefault(item.guid, item)
            tries[item.guid] += 1
            if 200 <= item.status_code < 300:
                arrived.add(item.guid)
        if len(recent) < len(page.root):
            break
    lost = [item for guid, item in newest.items() if guid not in arrived]
    return tuple(
        FailedDelivery(item.id, item.guid, item.event, item.delivered_at, tries[item.guid])
        for item in sorted(lost, key=lambda item: item.delivered_at)
    )


async def redeliver(app: GitHubClient, delivery: FailedDelivery) -> None:
    """Ask GitHub to send a delivery again, under its old GUID; errors as `failed_deliveries`."""
    await app.post("/app/hook/deliveries/{id}/attempts", {"id": str(delivery.delivery_id)}, data=b"")


class GitHubDeliveries:
    """Our App's deliveries. Fulfils `bot.tasks.ports.Deliveries`."""

    def __init__(self, app: GitHubClient) -> None:
        self._app = app

    async def failed(self, since: datetime) -> tuple[FailedDelivery, ...]:
        """Deliveries since a moment that never arrived, oldest first."""
        return await failed_deliveries(self._app, since)

    async def again(self, delivery: FailedDelivery) -> None:
        """Ask for one of them again."""
        await redeliver(self._app, delivery)
