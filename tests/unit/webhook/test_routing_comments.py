"""Which comments become a command task."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain import PersonsComment, TaskKind, TaskRequest
from bot.webhook.routing import DropReason, route
from bot.webhook.verify import Delivery, DeliveryRefusal


def event(**changes: Any) -> Delivery:
    payload: dict[str, Any] = {
        "action": "created",
        "issue": {"number": 12},
        "comment": {"id": 9, "body": "\n/recalibrate help", "user": {"login": "mona", "type": "User"}},
        "repository": {"id": 5, "full_name": "octo/tests", "default_branch": "main"},
        "installation": {"id": 3},
    }
    for path, value in changes.items():
        at = payload
        *parents, last = path.split("__")
        for name in parents:
            at = at[name]
        at[last] = value
    return Delivery("guid-1", "issue_comment", payload)


def test_a_persons_comment_is_one_task_by_its_id() -> None:
    found = route(event(), None)
    assert isinstance(found, TaskRequest)
    assert (found.kind, found.number, found.actor) == (TaskKind.COMMAND, 12, "mona")
    assert found.comment == PersonsComment(9, "/recalibrate help", on_pull=False)
    assert found.key == "command:5:9"
    again = route(Delivery("guid-2", "issue_comment", event().payload), None)
    assert isinstance(again, TaskRequest)
    assert again.key == found.key


def test_a_comment_on_a_pull_request_is_told_apart() -> None:
    found = route(event(issue__pull_request={"url": "x"}), None)
    assert isinstance(found, TaskRequest)
    assert found.comment
    assert found.comment.on_pull


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"action": "edited"}, DropReason.UNKNOWN_ACTION),
        ({"action": "deleted"}, DropReason.UNKNOWN_ACTION),
        ({"installation": None}, DropReason.NO_INSTALLATION),
        ({"comment__user": None}, DropReason.BY_A_PROGRAM),
        ({"comment__user__type": "Bot"}, DropReason.BY_A_PROGRAM),
        ({"comment__performed_via_github_app": {"id": 7}}, DropReason.BY_A_PROGRAM),
        ({"comment__body": "> /recalibrate"}, DropReason.NO_COMMAND),
        ({"comment__body": "thanks"}, DropReason.NO_COMMAND),
        ({"repository__archived": True}, DropReason.ARCHIVED),
    ],
)
def test_other_comments_are_dropped_with_their_reason(changes: dict[str, Any], reason: DropReason) -> None:
    assert route(event(**changes), None) is reason


@pytest.mark.parametrize("changes", [{"comment__id": -1}, {"issue__number": "x"}, {"comment__body": 3}])
def test_a_comment_of_another_shape_is_refused(changes: dict[str, Any]) -> None:
    assert route(event(**changes), None) is DeliveryRefusal.BAD_PAYLOAD
