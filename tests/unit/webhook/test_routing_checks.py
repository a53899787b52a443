"""Promises of routing about pull requests and check runs: every new head once, buttons of our own by persons."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import CheckAction, RepositoryId, RunId, TaskKind, TaskRequest
from bot.webhook.routing import DropReason, RoutingVerdict, route
from bot.webhook.verify import Delivery, DeliveryRefusal

APP = 31
HEAD = "a" * 40
COMMON: dict[str, Any] = {
    "repository": {"id": 5, "full_name": "zoo/otter", "default_branch": "main"},
    "installation": {"id": 9},
    "sender": {"login": "mona", "type": "User"},
}
OPENED: dict[str, Any] = {
    **COMMON,
    "action": "opened",
    "pull_request": {
        "number": 7,
        "head": {"ref": "topic", "sha": HEAD, "repo": {"id": 6}},
        "base": {"ref": "main", "sha": "b" * 40, "repo": {"id": 5}},
    },
}
PRESSED: dict[str, Any] = {
    **COMMON,
    "action": "requested_action",
    "requested_action": {"identifier": "open_pull_request"},
    "check_run": {"external_id": "nightly:77:2:", "head_sha": HEAD, "app": {"id": APP}},
}


def changed(payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
    found = copy.deepcopy(payload)
    for dotted, value in changes.items():
        *parents, last = dotted.split("__")
        target = found
        for parent in parents:
            target = target[parent]
        target[last] = value
    return found


def pull(guid: str = "g1", **changes: Any) -> RoutingVerdict:
    return route(Delivery(guid, "pull_request", changed(OPENED, **changes)), None, APP)


def check(guid: str = "g1", **changes: Any) -> RoutingVerdict:
    return route(Delivery(guid, "check_run", changed(PRESSED, **changes)), None, APP)


def key(verdict: RoutingVerdict) -> str:
    assert isinstance(verdict, TaskRequest)
    return verdict.key


def test_a_new_head_is_a_task_in_a_lane_beside_the_nightlies() -> None:
    asked = pull()
    assert asked == TaskRequest(
        TaskKind.PULL_REQUEST,
        9,
        RepositoryId(5),
        "zoo/otter",
        delivery="g1",
        number=7,
        head_sha=HEAD,
        base="main",
        action="opened",
    )
    assert asked.lane == "pull_requests:5"


def test_one_head_is_one_work_but_for_a_new_base_or_a_reopening() -> None:
    assert key(pull("g1")) == key(pull("g2")) == key(pull("g3", action="synchronize"))
    assert key(pull("g1", pull_request__head__sha="c" * 40)) != key(pull("g1"))
    base = {"action": "edited", "changes": {"base": {"ref": {"from": "dev"}, "sha": {"from": HEAD}}}}
    again = [key(pull("g4", action="reopened")), key(pull("g5", **base)), key(pull("g6", **base))]
    assert len({key(pull()), *again}) == 4
    assert key(pull("g5", **base)) == again[1]  # a redelivery keeps its GUID


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"action": "closed"}, DropReason.UNKNOWN_ACTION),
        ({"action": "labeled"}, DropReason.UNKNOWN_ACTION),
        ({"action": "edited"}, DropReason.UNKNOWN_ACTION),
        ({"action": "edited", "changes": {"title": {"from": "x"}}}, DropReason.UNKNOWN_ACTION),
        ({"installation": None}, DropReason.NO_INSTALLATION),
        ({"repository__archived": True}, DropReason.ARCHIVED),
    ],
)
def test_what_brings_no_head_is_dropped(changes: dict[str, Any], reason: DropReason) -> None:
    assert pull(**changes) is reason


def test_a_forks_head_and_that_of_a_deleted_fork_are_tasks() -> None:
    assert isinstance(pull(pull_request__head__repo=None), TaskRequest)


def test_a_pressed_button_names_the_run_and_the_person() -> None:
    asked = check()
    assert asked == TaskRequest(
        TaskKind.CHECK_ACTION,
        9,
        RepositoryId(5),
        "zoo/otter",
        RunId(77),
        2,
        "g1",
        head_sha=HEAD,
        action=CheckAction.OPEN_PULL_REQUEST,
        actor="mona",
    )
    assert asked.lane == "repository:5"
    assert key(check("g2")) != asked.key == key(check("g1"))


def test_asking_again_for_a_pull_requests_check_run_names_its_head_and_base() -> None:
    asked = check(action="rerequested", requested_action=None, check_run__external_id="registrations:7:g0:release/1")
    assert isinstance(asked, TaskRequest)
    assert (asked.number, asked.head_sha, asked.base, asked.action) == (7, HEAD, "release/1", "re_evaluate")
    assert asked.lane == "pull_requests:5"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"action": "created"}, DropReason.UNKNOWN_ACTION),
        ({"action": "completed"}, DropReason.UNKNOWN_ACTION),
        ({"requested_action": {"identifier": "erase"}}, DropReason.UNKNOWN_ACTION),
        ({"requested_action": None}, DropReason.UNKNOWN_ACTION),
        ({"installation": None}, DropReason.NO_INSTALLATION),
        ({"check_run__app": {"id": APP + 1}}, DropReason.OTHER_APP),
        ({"check_run__app": None}, DropReason.OTHER_APP),
        ({"check_run__external_id": "deploy-42"}, DropReason.OTHER_CHECK),
        ({"check_run__external_id": None}, DropReason.OTHER_CHECK),
        ({"check_run__external_id": "registrations:7::main"}, DropReason.OTHER_CHECK),  # nothing to open there
        ({"sender": {"login": "robot[bot]", "type": "Bot"}}, DropReason.BY_A_PROGRAM),
        ({"sender": None}, DropReason.BY_A_PROGRAM),
        ({"repository__archived": True}, DropReason.ARCHIVED),
    ],
)
def test_what_is_no_press_of_ours_by_a_person_is_dropped(changes: dict[str, Any], reason: DropReason) -> None:
    assert check(**changes) is reason


def test_without_an_app_of_our_own_no_check_run_is_ours() -> None:
    assert route(Delivery("g", "check_run", PRESSED), None) is DropReason.OTHER_APP


@pytest.mark.parametrize(
    ("event", "changes"),
    [
        ("pull_request", {"pull_request__number": 0}),
        ("pull_request", {"pull_request__head__sha": "main"}),
        ("pull_request", {"repository__full_name": "../../etc"}),
        ("check_run", {"check_run__head_sha": "x"}),
    ],
)
def test_malformed_payloads_are_refused(event: str, changes: dict[str, Any]) -> None:
    payload = changed(OPENED if event == "pull_request" else PRESSED, **changes)
    assert route(Delivery("g", event, payload), None, APP) is DeliveryRefusal.BAD_PAYLOAD


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.sampled_from(["pull_request", "check_run"]), st.sampled_from([*OPENED, *PRESSED]), JSON)
def test_no_value_anywhere_raises(event: str, at: str, value: Any) -> None:
    payload = {**(OPENED if event == "pull_request" else PRESSED), at: value}
    verdict = route(Delivery("g", event, payload), None, APP)
    assert isinstance(verdict, TaskRequest | DropReason | DeliveryRefusal)
