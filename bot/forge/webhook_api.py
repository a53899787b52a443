"""The App's webhook and its deliveries as GitHub remembers them: which failed, and asking for them again.

GitHub does not retry by itself. Needs the App's own credential; reads no payload.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from pydantic import RootModel

from bot.forge.client import GitHubClient
from bot.forge.payloads.apps import DeliveryPayload, HookConfigPayload
from bot.records.deliveries import FailedDelivery


class _DeliveryPage(RootModel[tuple[DeliveryPayload, ...]]):
    """One page of deliveries, newest first."""


@dataclass(frozen=True, slots=True)
class RecentDeliveries:
    """What GitHub sent since a moment: how many arrived, and those that never did, oldest first.

    `status` is what the newest try of the newest lost one was answered with, 0 where nobody answered.
    """

    arrived: int
    lost: tuple[FailedDelivery, ...]
    status: int = 0


async def hook_config(app: GitHubClient) -> HookConfigPayload:
    """Where the App's webhook leads, and how; errors as `recent_deliveries`, and for an App without one."""
    return await app.get(HookConfigPayload, "/app/hook/config")


async def recent_deliveries(app: GitHubClient, since: datetime) -> RecentDeliveries:
    """Deliveries since a moment (aware), each counted once with its redeliveries.

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
    lost = sorted((it for guid, it in newest.items() if guid not in arrived), key=lambda it: it.delivered_at)
    failed = (FailedDelivery(it.id, it.guid, it.event, it.delivered_at, tries[it.guid]) for it in lost)
    return RecentDeliveries(len(arrived), tuple(failed), lost[-1].status_code if lost else 0)


async def failed_deliveries(app: GitHubClient, since: datetime) -> tuple[FailedDelivery, ...]:
    """Deliveries since a moment (aware) that never arrived, oldest first; errors as `recent_deliveries`."""
    return (await recent_deliveries(app, since)).lost


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
