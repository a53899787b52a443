"""The webhooks that a call itself sets off, where a world announces: an App hears its own comments and pull requests.

Which effect is told as which event; the payloads are `events.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.sandbox import events
from bot.sandbox.answers import Answer, Call, Route
from bot.sandbox.state import Json
from bot.sandbox.webhooks import new_delivery

_REPO = "/repos/{owner}/{repo}"
_PULL = f"{_REPO}/pulls/{{pull_number}}"
Announcement = Callable[[Call, Json], Json]


def announce(call: Call, route: Route, answer: Answer) -> None:
    """Put the event that a successful call sets off into the outbox."""
    known = ANNOUNCED.get((route.method, route.name))
    installed = call.world.installation_for(call.repo) if call.found_repo else None
    if known is None or installed is None or answer.status >= 300 or not installed.app.webhook_url:
        return
    event, payload = known
    call.world.outbox.append(new_delivery(call.world, installed.app, event, payload(call, answer.body)))


def _pull(action: str) -> Announcement:
    def payload(call: Call, body: Json) -> Json:
        issue = call.repo.issues[body["number"]]
        told = {"open": "reopened", "closed": "closed"}.get(call.body.get("state", ""), action)
        return events.pull_request(call.world, call.repo, issue, told, call.caller.actor)

    return payload


def _comment(action: str) -> Announcement:
    def payload(call: Call, body: Json) -> Json:
        return events.issue_comment(call.world, call.repo, call.repo.comments[body["id"]], action)

    return payload


def _check_run(action: str) -> Announcement:
    def payload(call: Call, body: Json) -> Json:
        told = "completed" if body["status"] == "completed" else action
        return events.check_run(call.world, call.repo, call.repo.checks[body["id"]], told, call.caller.actor)

    return payload


ANNOUNCED: Mapping[tuple[str, str], tuple[str, Announcement]] = {
    ("POST", f"{_REPO}/pulls"): ("pull_request", _pull("opened")),
    ("PATCH", _PULL): ("pull_request", _pull("edited")),
    ("POST", f"{_REPO}/issues/{{issue_number}}/comments"): ("issue_comment", _comment("created")),
    ("PATCH", f"{_REPO}/issues/comments/{{comment_id}}"): ("issue_comment", _comment("edited")),
    ("POST", f"{_REPO}/check-runs"): ("check_run", _check_run("created")),
}
