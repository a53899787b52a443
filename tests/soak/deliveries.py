"""The deliveries of a burst: signed, and in fixed parts repeated or malformed. Same numbers, same bytes but for keys.

Of a hundred, five are malformed, ten repeat an earlier one, and the rest are what a busy
organisation sends: completed runs of other events, comments, checks, and every fifth one a
completed nightly that becomes a task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox import events
from bot.sandbox.state.accounts import App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.webhooks import headers_for, new_delivery, signature

GONE_RUNS = 5_000_000_000  # run ids that no repository has
Headers = Mapping[str, str]


@dataclass(frozen=True)
class Sent:
    """One request: what is sent, and what must come of it. `task` "": it becomes none.

    `limited` is the other answer it may get: an address whose signatures fail too often is told to wait.
    """

    guid: str
    headers: Headers
    body: bytes
    status: int
    task: str = ""
    limited: int = 0


@dataclass(frozen=True)
class Writer:
    """Writes deliveries of one App about a few repositories, with payloads complete as GitHub's."""

    world: World
    app: App
    repos: Sequence[Repo]
    run: int  # a run that each of them has: the shape of all others

    def burst(self, many: int) -> list[Sent]:
        """`many` requests."""
        found: list[Sent] = []
        for number in range(many):
            if number % 20 == 7:
                found.append(self._malformed(number))
            elif number % 10 == 9:
                found.append(next(it for it in reversed(found) if it.status == 202))
            else:
                found.append(self._good(number))
        return found

    def _good(self, number: int) -> Sent:
        repo = self.repos[number % len(self.repos)]
        payload = events.workflow_run(self.world, repo, self.run, 1)
        task = ""
        if number % 5 == 0:
            run = GONE_RUNS + number
            payload["workflow_run"]["id"] = run
            task = f"nightly:{repo.id}:{run}:1"
        elif number % 5 == 1:
            payload["workflow_run"]["event"] = "pull_request"
        elif number % 5 == 2:
            payload["action"] = "requested"
        event = "workflow_run" if number % 5 < 3 else "star"
        return self._signed(f"soak-{number}", event, payload, task)

    def _signed(self, guid: str, event: str, payload: Mapping[str, Any], task: str) -> Sent:
        body = json.dumps(payload, separators=(",", ":")).encode()
        headers = headers_for(self.app, new_delivery(self.world, self.app, event, dict(payload), guid), body)
        return Sent(guid, headers, body, 202, task)

    def _malformed(self, number: int) -> Sent:
        good = self._good(number)
        spoil = _SPOILS[number // 20 % len(_SPOILS)]
        return spoil(good, self.app.webhook_secret)


def _unsigned(good: Sent, _secret: str) -> Sent:
    headers = {name: value for name, value in good.headers.items() if name != "X-Hub-Signature-256"}
    return Sent(good.guid, headers, good.body, 401, limited=429)


def _forged(good: Sent, _secret: str) -> Sent:
    return Sent(good.guid, {**good.headers, "X-Hub-Signature-256": "sha256=" + "0" * 64}, good.body, 401, limited=429)


def _cut(good: Sent, secret: str) -> Sent:
    return _resigned(good, good.body[: len(good.body) // 2], secret)


def _nested(good: Sent, secret: str) -> Sent:
    return _resigned(good, b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", secret)


def _shapeless(good: Sent, secret: str) -> Sent:
    headers = {**good.headers, "X-GitHub-Event": "workflow_run"}
    return _resigned(Sent(good.guid, headers, b"", 0), b'{"action":"completed","workflow_run":7}', secret)


def _resigned(good: Sent, body: bytes, secret: str) -> Sent:
    return Sent(good.guid, {**good.headers, "X-Hub-Signature-256": signature(secret, body)}, body, 400)


_SPOILS: tuple[Callable[[Sent, str], Sent], ...] = (_unsigned, _forged, _cut, _nested, _shapeless)
