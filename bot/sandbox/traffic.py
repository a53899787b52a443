"""What goes over the wire and is kept: webhooks sent, requests answered; and answers given wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Wire(StrEnum):
    """What becomes of an answer on its way."""

    WHOLE = "whole"
    DROPPED = "dropped"  # the connection breaks instead
    SHORT = "short"  # half of the body, then the connection breaks
    SLOW = "slow"  # the whole body, in small pieces


@dataclass(slots=True)
class Delivery:
    """One webhook as sent, or about to be sent."""

    id: int
    app_id: int
    guid: str
    event: str
    payload: dict[str, Any]
    at: datetime
    redelivery: bool = False
    status_code: int = 0
    duration_s: float = 0.0
    response: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request the sandbox answered. `route` is the template, with the field's name for GraphQL.

    `writes` names what its token may write, whether or not it did.
    """

    method: str
    route: str
    status: int
    path: str = ""
    actor: str = ""
    writes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request as it comes in. `route` as in `CallRecord`."""

    method: str
    route: str
    path: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request with its answer, or (method `WEBHOOK`, the event as route) one payload sent."""

    method: str
    route: str
    request: Any
    status: int
    response: Any


@dataclass(slots=True)
class Fault:
    """An answer given instead of the real one, `times` times, to requests of one route template.

    `after` first lets the request take effect: the answer is lost, not the work; with status 0 the
    real answer is given after all, and only `wire` is wrong. `stale` answers a read as the last time.
    GraphQL's route may name the asked fields: `/graphql:updateRefs`.
    """

    method: str
    route: str
    status: int
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after: bool = False
    skip: int = 0  # requests let through before the first fault
    path: str = ""  # text that the request's path must hold
    wire: Wire = Wire.WHOLE
    stale: bool = False
    met: int = 0  # answers it has spoiled
