"""Is this delivery GitHub's? Headers and raw bytes in, an event or a named refusal out.

gidgethub computes and compares the signature in constant time. Checked before it gets the
bytes, because its `from_http` also takes SHA-1 signatures, form bodies and an empty secret
(gidgethub 6.0, `sansio.Event.from_http`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gidgethub import GitHubException, sansio

MAX_DEPTH = 64  # GitHub's own payloads stay below 12
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_NAME = re.compile(r"[a-z_]{1,64}")
_GUID = re.compile(r"[0-9A-Za-z-]{1,64}")
# A string of JSON; one without an end reaches to the body's. Possessive, so that no byte is looked at twice.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class DeliveryRefusal(StrEnum):
    """Why a request is not taken as a delivery, and the HTTP status that says so."""

    NO_SIGNATURE = "no_signature"
    BAD_SIGNATURE = "bad_signature"
    BAD_HEADERS = "bad_headers"
    NOT_JSON = "not_json"
    TOO_DEEP = "too_deep"
    TOO_LARGE = "too_large"
    BAD_PAYLOAD = "bad_payload"
    TOO_MANY = "too_many"  # failed signatures from one address

    @property
    def status(self) -> int:
        """The HTTP status: 401 for the signature, 413 for the size, 429 for too many, 400 otherwise."""
        statuses = {
            DeliveryRefusal.TOO_MANY: 429,
            DeliveryRefusal.NO_SIGNATURE: 401,
            DeliveryRefusal.BAD_SIGNATURE: 401,
            DeliveryRefusal.TOO_LARGE: 413,
        }
        return statuses.get(self, 400)

    @property
    def unsigned(self) -> bool:
        """True where nothing shows that GitHub sent it."""
        return self in (DeliveryRefusal.NO_SIGNATURE, DeliveryRefusal.BAD_SIGNATURE)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One verified webhook POST. `guid` is GitHub's; a redelivery keeps it."""

    guid: str
    event: str
    payload: Mapping[str, Any]


def verify(headers: Mapping[str, str], body: bytes, secret: str) -> Delivery | DeliveryRefusal:
    """Check one request. `headers` may have any case. Never raises on bad input.

    Raises:
        ValueError: `secret` is empty; a service without one must not start.
    """
    if not secret:
        raise ValueError("a webhook secret is required")
    lower = {name.lower(): value for name, value in headers.items()}
    signature = lower.get("x-hub-signature-256", "")
    if not signature:
        return DeliveryRefusal.NO_SIGNATURE
    if not _SIGNATURE.fullmatch(signature):
        return DeliveryRefusal.BAD_SIGNATURE
    try:
        sansio.validate_event(body, signature=signature, secret=secret)
    except GitHubException:
        return DeliveryRefusal.BAD_SIGNATURE
    return _read(lower, body)


def _read(headers: Mapping[str, str], body: bytes) -> Delivery | DeliveryRefusal:
    event, guid = headers.get("x-github-event", ""), headers.get("x-github-delivery", "")
    if not _NAME.fullmatch(event) or not _GUID.fullmatch(guid):
        return DeliveryRefusal.BAD_HEADERS
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return DeliveryRefusal.NOT_JSON
    if _too_deep(body):
        return DeliveryRefusal.TOO_DEEP
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return DeliveryRefusal.NOT_JSON
    return Delivery(guid, event, payload) if isinstance(payload, dict) else DeliveryRefusal.BAD_PAYLOAD


def _too_deep(body: bytes) -> bool:
    """True where brackets outside strings nest deeper than MAX_DEPTH: json would recurse as deep."""
    depth = 0
    for bracket in _STRING.sub(b"", body).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False
