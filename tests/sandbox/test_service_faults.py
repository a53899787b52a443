"""GitHub as it is: calls of the road that fail in every kind of way, and the world afterwards.

A walk over all calls and all faults is `make chaos`; these cells stand for it. Every kind of fault
is met at least once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generate, generate
from tests.chaos.acts import Act
from tests.chaos.walk import Cell, Walker
from tests.chaos.worlds import repeated
from tests.sandbox.service import Lines, Rig

REPO = "/repos/{owner}/{repo}"
JOBS = f"{REPO}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs"
LOG = f"{REPO}/actions/jobs/{{job_id}}/logs"
STORAGE = "logs-origin"
TREES, COMMITS, PULLS = f"{REPO}/git/trees", f"{REPO}/git/commits", f"{REPO}/pulls"
QUERY, MOVE = "/graphql:repository", "/graphql:updateRefs"
COMMENTS = f"{REPO}/issues/{{issue_number}}/comments"
TOKENS = "/app/installations/{installation_id}/access_tokens"

CELLS = [
    ("GET", JOBS, FaultKind.TOO_MANY, "same world"),
    ("GET", JOBS, FaultKind.SHORT, "same world"),
    ("GET", LOG, FaultKind.SECONDARY_WORDLESS, "same world"),
    ("GET", STORAGE, FaultKind.SHORT, "same world"),
    ("GET", STORAGE, FaultKind.SLOW, "same world"),
    ("GET", STORAGE, FaultKind.EXPIRED_LINK, "same world"),
    ("GET", STORAGE, FaultKind.BLOB_NOT_FOUND, "no_timings"),
    ("GET", LOG, FaultKind.GONE, "no_timings"),
    ("GET", LOG, FaultKind.FORBIDDEN, "logs_forbidden"),
    ("GET", f"{REPO}/git/trees/{{tree_sha}}", FaultKind.NOT_FOUND, "refused"),
    ("POST", TOKENS, FaultKind.SECONDARY, "same world"),
    ("POST", QUERY, FaultKind.GRAPHQL_ERROR, "same world"),
    ("POST", QUERY, FaultKind.GRAPHQL_FORBIDDEN, "config_unreadable"),
    ("POST", TREES, FaultKind.BROKEN_AFTER, "same world"),
    ("POST", COMMITS, FaultKind.DROPPED_AFTER, "same world"),
    ("POST", COMMITS, FaultKind.CONFLICT, "refused"),
    ("POST", f"{REPO}/check-runs", FaultKind.DROPPED_AFTER, "same world"),
    ("POST", MOVE, FaultKind.BROKEN, "same world"),
    ("POST", MOVE, FaultKind.DROPPED_AFTER, "same world"),
    ("POST", MOVE, FaultKind.GRAPHQL_ERROR_AFTER, "same world"),
    ("POST", MOVE, FaultKind.GRAPHQL_RULESET, "branch_protected"),
    ("POST", PULLS, FaultKind.BROKEN_LONG, "parked at the last step"),
    ("POST", PULLS, FaultKind.DROPPED, "same world"),
    ("POST", PULLS, FaultKind.DROPPED_AFTER, "same world"),
    ("POST", PULLS, FaultKind.RULESET, "pull_request_forbidden"),
    ("POST", PULLS, FaultKind.SECONDARY_WORDLESS, "same world"),
]
LATER = [
    Cell(Act.SECOND, "POST", QUERY, 1, FaultKind.STALE),  # where the branches were before the first night's commit
    Cell(Act.SECOND, "GET", PULLS, 0, FaultKind.STALE),
    Cell(Act.COMMAND, "POST", COMMENTS, 0, FaultKind.DROPPED_AFTER),
]


@pytest.fixture(scope="module")
def walker(service_rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    return Walker(service_rig, generate(tmp_path_factory.mktemp("three"), Generate(nights=3)))


@pytest.mark.parametrize(("method", "route", "kind", "how"), CELLS)
def test_a_call_that_fails_leads_to_the_same_world_or_to_a_name(
    walker: Walker, method: str, route: str, kind: FaultKind, how: str
) -> None:
    found = walker.run(Cell(Act.FIRST, method, route, 0, kind))
    assert (found.how, found.problem, found.met) == (how, "", True)


@pytest.mark.parametrize("cell", LATER, ids=str)
def test_later_nights_and_commands_bear_it_too(walker: Walker, cell: Cell) -> None:
    found = walker.run(cell)
    assert (found.how, found.problem, found.met) == ("same world", "", True)


def test_every_kind_of_fault_is_met_here() -> None:
    assert {kind for _, _, kind, _ in CELLS} | {cell.kind for cell in LATER} == set(FaultKind)


def test_a_step_waits_as_long_as_the_server_asks(walker: Walker, service_rig: Rig) -> None:
    case, runs = service_rig.started(walker.made, "asked")
    lines, log = Lines(), logging.getLogger("bot.tasks.durable_steps")
    before = log.level
    log.setLevel(logging.INFO)
    log.addHandler(lines)
    service_rig.world.faults.append(planned(FaultKind.TOO_MANY, "POST", TREES))
    try:
        assert case.nightly(runs[0]).outcome == "published"
    finally:
        log.removeHandler(lines)
        log.setLevel(before)
        service_rig.world.faults.clear()
    assert any("step waits" in text and "'asked_s': 1.0" in text for text in lines.texts)


def test_a_limit_without_a_time_is_waited_out_and_a_missing_permission_is_asked_for_once(
    walker: Walker, service_rig: Rig
) -> None:
    """Both are 403. The one has a second try and no third, one after another; the other has none."""
    for kind, outcome, tries in (
        (FaultKind.SECONDARY_WORDLESS, "published", [403, 201]),
        (FaultKind.FORBIDDEN, "pull_request_forbidden", [403]),
    ):
        case, runs = service_rig.started(walker.made, kind.value.replace("_", "-"))
        service_rig.world.faults.append(planned(kind, "POST", PULLS))
        mark = len(service_rig.world.journal)
        try:
            assert case.nightly(runs[0]).outcome == outcome
        finally:
            service_rig.world.faults.clear()
        asked = [call for call in case.since(mark) if (call.method, call.route) == ("POST", PULLS)]
        assert [call.status for call in asked] == tries


def test_deliveries_are_answered_while_a_step_waits(walker: Walker, service_rig: Rig) -> None:
    case, runs = service_rig.started(walker.made, "busy")
    service_rig.world.faults.append(planned(FaultKind.BROKEN_LONG, "POST", TREES))
    try:
        assert case.deliver(runs[0]).status_code == 202
        answers = [case.deliver(runs[1], guid=f"busy-{number}") for number in range(5)]
    finally:
        service_rig.world.faults.clear()
    assert {it.status_code for it in answers} == {202}
    assert case.ended(runs[0]).outcome in ("published", "refused")
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    assert repeated(case.repo) == []
