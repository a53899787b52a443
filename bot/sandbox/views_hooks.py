"""Webhook deliveries as GitHub's JSON."""

from __future__ import annotations

from bot.sandbox.state import Json
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Delivery
from bot.sandbox.views_repo import stamp


def delivery_item(it: Delivery) -> Json:
    """A delivery as the list shows it."""
    repo = it.payload.get("repository") or {}
    return {
        "id": it.id,
        "guid": it.guid,
        "delivered_at": stamp(it.at),
        "redelivery": it.redelivery,
        "duration": round(it.duration_s, 2),
        "status": "OK" if 200 <= it.status_code < 300 else (f"Invalid HTTP Response: {it.status_code}"),
        "status_code": it.status_code,
        "event": it.event,
        "action": it.payload.get("action"),
        "installation_id": (it.payload.get("installation") or {}).get("id"),
        "repository_id": repo.get("id"),
        "throttled_at": None,
    }


def delivery(world: World, it: Delivery) -> Json:
    """A delivery with its request and response."""
    return {
        **delivery_item(it),
        "url": world.apps[it.app_id].webhook_url,
        "request": {"headers": it.headers, "payload": it.payload},
        "response": {"headers": {}, "payload": it.response or None},
    }
