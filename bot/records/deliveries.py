"""Records of webhook deliveries, noted or failed; the work they led to is in `bot.records.work`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.domain import RepositoryId


@dataclass(frozen=True, slots=True)
class NotedDelivery:
    """One webhook POST and what became of it."""

    guid: str
    event: str
    verdict: str
    received_at: datetime
    action: str = ""
    repository_id: RepositoryId | None = None


@dataclass(frozen=True, slots=True)
class FailedDelivery:
    """A delivery none of whose tries was answered with success. `delivery_id` names the newest try."""

    delivery_id: int
    guid: str
    event: str
    delivered_at: datetime
    tries: int = 1
