"""One request that was answered, or was not, as whoever counts them hears of it. Holds no address and no name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

NO_ANSWER = 0  # the status of a request whose connection broke


class Half(StrEnum):
    """Who sent it."""

    READS = "reads"  # gidgethub over aiohttp
    WRITES = "writes"  # PyGithub, which also reads before it writes
    LOGS = "logs"  # a signed link of a job's log, at another host, without a credential


@dataclass(frozen=True, slots=True)
class Budget:
    """What an answer says of the caller's rate limit. `resets_at` is seconds since the epoch.

    docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """

    resource: str
    limit: int
    remaining: int
    resets_at: int


@dataclass(frozen=True, slots=True)
class Heard:
    """One request: its half, HTTP's status or `NO_ANSWER`, and the budget where the answer names one."""

    half: Half
    status: int
    budget: Budget | None = None


Listener = Callable[[Heard], None]


def unheard(_call: Heard) -> None:
    """Nobody counts."""


def answered(half: Half, status: int, headers: Mapping[str, str]) -> Heard:
    """What was heard of one answer. Header names are looked up in lower case, the mapping's own way."""
    names = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
    numbers = [_whole(headers.get(name)) for name in names]
    limit, remaining, resets_at = numbers
    if limit is None or remaining is None or resets_at is None:
        return Heard(half, status)
    return Heard(half, status, Budget(headers.get("x-ratelimit-resource") or "core", limit, remaining, resets_at))


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 12 else None
