"""Promises of the fault plan: what is answered, whether the call took effect, and that it is used up."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.sandbox import scenario
from bot.sandbox.faults import FaultKind, applicable, planned
from tests.sandbox.hub import Hub

ISSUES = "/repos/{owner}/{repo}/issues"
REFERENCE = "/repos/{owner}/{repo}/git/ref/{ref}"


def made(hub: Hub) -> int:
    """How many issues there are, asked without a call."""
    return len(hub.repo.issues)


@pytest.mark.parametrize(
    ("kind", "status", "effect"),
    [
        (FaultKind.TOO_MANY, 429, 0),
        (FaultKind.SECONDARY, 403, 0),
        (FaultKind.BROKEN, 502, 0),
        (FaultKind.BROKEN_AFTER, 502, 1),
        (FaultKind.CONFLICT, 409, 0),
        (FaultKind.RULESET, 422, 0),
        (FaultKind.SLOW, 201, 1),
    ],
)
def test_a_fault_says_what_it_is_and_takes_effect_where_it_says_so(
    hub: Hub, kind: FaultKind, status: int, effect: int
) -> None:
    hub.world.faults.append(planned(kind, "POST", ISSUES))
    reply = hub.call("POST", "/issues", {"title": "one"})
    assert (reply.status, made(hub)) == (status, effect)
    assert ("Retry-After" in reply.headers) == (kind in (FaultKind.TOO_MANY, FaultKind.SECONDARY))


def test_a_passing_fault_is_met_once_and_a_lasting_one_always(hub: Hub) -> None:
    hub.world.faults.append(planned(FaultKind.BROKEN, "POST", ISSUES))
    assert [hub.call("POST", "/issues", {"title": "one"}).status for _ in range(2)] == [502, 201]
    hub.world.faults[:] = [planned(FaultKind.FORBIDDEN, "POST", ISSUES)]
    assert [hub.call("POST", "/issues", {"title": "one"}).status for _ in range(3)] == [403] * 3


def test_calls_before_the_planned_one_are_let_through(hub: Hub) -> None:
    hub.world.faults.append(planned(FaultKind.BROKEN, "POST", ISSUES, skip=2))
    assert [hub.call("POST", "/issues", {"title": "one"}).status for _ in range(4)] == [201, 201, 502, 201]


@pytest.mark.parametrize(("kind", "effect"), [(FaultKind.DROPPED, 0), (FaultKind.DROPPED_AFTER, 1)])
def test_a_dropped_connection_gives_no_answer(hub: Hub, kind: FaultKind, effect: int) -> None:
    hub.world.faults.append(planned(kind, "POST", ISSUES))
    with pytest.raises((ConnectionError, http.client.HTTPException, OSError)):
        hub.call("POST", "/issues", {"title": "one"})
    assert made(hub) == effect


def test_a_short_answer_ends_before_its_length(hub: Hub) -> None:
    hub.world.faults.append(planned(FaultKind.SHORT, "POST", ISSUES))
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        hub.call("POST", "/issues", {"title": "one"})
    assert made(hub) == 1


def test_a_stale_read_is_the_answer_of_the_time_before(hub: Hub) -> None:
    before = hub.call("GET", "/git/ref/heads/main").json["object"]["sha"]
    after = hub.person().commit("main", {"a.txt": b"a\n"})
    stale = planned(FaultKind.STALE, "GET", REFERENCE)
    hub.world.faults.append(stale)
    assert [hub.call("GET", "/git/ref/heads/main").json["object"]["sha"] for _ in range(2)] == [before, after]
    assert stale.met == 1


def test_a_first_read_cannot_be_stale(hub: Hub) -> None:
    stale = planned(FaultKind.STALE, "GET", REFERENCE)
    hub.world.faults.append(stale)
    assert hub.call("GET", "/git/ref/heads/main").status == 200
    assert stale.met == 0


def test_a_graphql_fault_is_met_by_the_field_it_names(hub: Hub) -> None:
    hub.world.faults.append(planned(FaultKind.GRAPHQL_ERROR, "POST", "/graphql:updateRefs"))
    query = "query($o: String!, $n: String!) { repository(owner: $o, name: $n) { id } }"
    assert "errors" not in hub.graphql(query, {"o": hub.repo.owner.login, "n": hub.repo.name})
    assert hub.world.faults[0].times == 1


def test_every_call_can_meet_a_limit_a_broken_server_and_a_broken_wire() -> None:
    usual = {FaultKind.TOO_MANY, FaultKind.BROKEN, FaultKind.DROPPED, FaultKind.SHORT, FaultKind.SLOW}
    for call in (("GET", "/app"), ("POST", ISSUES), ("POST", "/graphql:repository"), ("GET", "logs-origin")):
        assert usual <= applicable(*call)


def test_a_scenario_plans_faults(small_repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    entry = {"kind": "broken_after", "method": "POST", "route": ISSUES, "skip": 1}
    repository = {"name": "octo/tests", "source": str(small_repository)}
    file.write_text(json.dumps({"repositories": [repository], "faults": [entry]}))
    (fault,) = scenario.load(file, tmp_path / "world").world.faults
    assert (fault.status, fault.after, fault.skip) == (502, True, 1)
    file.write_text(json.dumps({"repositories": [repository], "faults": [{**entry, "kind": "weather"}]}))
    with pytest.raises(UserError, match="weather"):
        scenario.load(file, tmp_path / "other")
