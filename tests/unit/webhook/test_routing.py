"""Promises of routing: what cannot matter never becomes a task, and every no has its name."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import NightlyFilter, RepositoryId, RunId, TaskKind, TaskRequest
from bot.webhook.routing import DropReason, repository_id, route
from bot.webhook.verify import Delivery, DeliveryRefusal

COMPLETED: dict[str, Any] = {
    "action": "completed",
    "workflow_run": {
        "id": 77,
        "run_attempt": 2,
        "event": "schedule",
        "head_branch": "main",
        "head_sha": "a" * 40,
        "path": ".github/workflows/lane.yml",
        "name": "a name that may change",
        "head_repository": {"id": 5},
    },
    "repository": {"id": 5, "full_name": "zoo/otter", "default_branch": "main"},
    "installation": {"id": 9},
}


def delivery(event: str = "workflow_run", **changes: Any) -> Delivery:
    payload = copy.deepcopy(COMPLETED)
    for dotted, value in changes.items():
        *parents, last = dotted.split("__")
        target = payload
        for parent in parents:
            target = target[parent]
        target[last] = value
    return Delivery("g1", event, payload)


def test_a_completed_nightly_becomes_a_task_for_its_run_and_attempt() -> None:
    assert route(delivery(), None) == TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(5), "zoo/otter", RunId(77), 2, "g1")


def test_a_replay_under_another_guid_is_the_same_work_and_another_attempt_is_not() -> None:
    first = route(delivery(), None)
    again = route(Delivery("g2", "workflow_run", COMPLETED), None)
    later = route(delivery(workflow_run__run_attempt=3), None)
    assert isinstance(first, TaskRequest)
    assert isinstance(again, TaskRequest)
    assert isinstance(later, TaskRequest)
    assert first.key == again.key != later.key


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"action": "requested"}, DropReason.UNKNOWN_ACTION),
        ({"installation": None}, DropReason.NO_INSTALLATION),
        ({"repository__archived": True}, DropReason.ARCHIVED),
        ({"workflow_run__head_repository": {"id": 6}}, DropReason.FORK),
        ({"workflow_run__head_repository": None}, DropReason.FORK),
        ({"workflow_run__event": "pull_request"}, DropReason.OTHER_EVENT),
        ({"workflow_run__event": "workflow_dispatch"}, DropReason.OTHER_EVENT),
        ({"workflow_run__head_branch": "topic"}, DropReason.OTHER_BRANCH),
        ({"workflow_run__head_branch": None}, DropReason.OTHER_BRANCH),
    ],
)
def test_a_repository_never_seen_gets_scheduled_runs_of_its_default_branch_only(
    changes: dict[str, Any], reason: DropReason
) -> None:
    assert route(delivery(**changes), None) is reason


def test_the_stored_filter_decides_by_path_never_by_name() -> None:
    stored = NightlyFilter((".github/workflows/lane.yml",), ("workflow_dispatch",), ("release",))
    wanted = {"workflow_run__event": "workflow_dispatch", "workflow_run__head_branch": "release"}
    assert isinstance(route(delivery(**wanted), stored), TaskRequest)
    assert isinstance(
        route(delivery(**wanted, workflow_run__path=".github/workflows/lane.yml@main"), stored), TaskRequest
    )
    assert route(delivery(**wanted, workflow_run__path="x/lane.yml"), stored) is DropReason.OTHER_WORKFLOW
    assert route(delivery(), stored) is DropReason.OTHER_EVENT


def test_unknown_events_are_dropped_and_malformed_known_ones_refused() -> None:
    assert route(delivery("ping"), None) is DropReason.UNKNOWN_EVENT
    assert route(delivery(workflow_run__id="77; drop"), None) is DeliveryRefusal.BAD_PAYLOAD
    assert route(delivery(workflow_run__head_sha="main"), None) is DeliveryRefusal.BAD_PAYLOAD
    assert route(delivery(repository__full_name="../../etc"), None) is DeliveryRefusal.BAD_PAYLOAD
    assert route(Delivery("g", "workflow_run", {}), None) is DeliveryRefusal.BAD_PAYLOAD


def test_installation_events_become_tasks_of_their_own_lane() -> None:
    payload = {"action": "created", "installation": {"id": 9, "account": {"id": 1, "login": "zoo"}}}
    request = route(Delivery("g3", "installation", payload), None)
    assert isinstance(request, TaskRequest)
    assert (request.kind, request.lane) == (TaskKind.INSTALLATION, "installation:9")
    assert route(Delivery("g4", "installation", payload | {"action": "?"}), None) is DropReason.UNKNOWN_ACTION


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.sampled_from(["workflow_run", "installation", "issues"]), st.dictionaries(st.text(max_size=12), JSON))
def test_no_payload_raises(event: str, payload: dict[str, Any]) -> None:
    merged = Delivery("g", event, {**COMPLETED, **payload})
    repository_id(merged)
    assert isinstance(route(merged, None), TaskRequest | DropReason | DeliveryRefusal)
