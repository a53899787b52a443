"""Signs webhooks and delivers them: GUID, event, HMAC SHA-256; GitHub gives an endpoint ten seconds.

What a payload holds is written by `events.py`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
import uuid
from dataclasses import replace

import aiohttp

from bot.sandbox.state import Json
from bot.sandbox.state.accounts import App
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Delivery, Exchange

TIMEOUT_S = 10.0
MAX_RESPONSE_BYTES = 64 * 1024


def new_delivery(world: World, app: App, event: str, payload: Json, guid: str = "") -> Delivery:
    """A delivery that has not been sent. The same GUID again is what a redelivery does."""
    return Delivery(world.next_id(), app.id, guid or str(uuid.uuid4()), event, payload, world.clock())


def signature(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


def headers_for(app: App, delivery: Delivery, body: bytes) -> dict[str, str]:
    """The headers GitHub sends with a webhook of an App."""
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/sandbox",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
    }
    return {**headers, "X-Hub-Signature-256": signature(app.webhook_secret, body)} if app.webhook_secret else headers


async def send(world: World, delivery: Delivery) -> Delivery:
    """Send it once and keep what came of it: GitHub does not try again by itself."""
    app = world.apps[delivery.app_id]
    body = json.dumps(delivery.payload, separators=(",", ":")).encode()
    headers, started = headers_for(app, delivery, body), time.monotonic()
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S)) as session,
            session.post(app.webhook_url, data=body, headers=headers, allow_redirects=False) as response,
        ):
            status, text = response.status, (await response.content.read(MAX_RESPONSE_BYTES)).decode("utf-8", "replace")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        status, text = 502, f"{type(error).__name__}: failed to connect to host or timed out"
    done = replace(delivery, status_code=status, response=text, headers=headers, duration_s=time.monotonic() - started)
    world.deliveries.append(done)
    world.tell(Exchange("WEBHOOK", delivery.event, delivery.payload, status, text))
    return done
