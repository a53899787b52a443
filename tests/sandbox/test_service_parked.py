"""GitHub is away for longer than a task waits: the lane is free meanwhile, and the work is finished when it is back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from bot.sandbox import events
from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generated
from bot.tasks.parking import FIRST_WAIT_S, MOST_TAKES
from tests.chaos.worlds import repeated
from tests.sandbox.service import EVIDENCE, Case, Rig
from tests.sandbox.talking import Talk, Talking

REPO = "/repos/{owner}/{repo}"
PULLS, CHECKS, TREES, MOVE = f"{REPO}/pulls", f"{REPO}/check-runs", f"{REPO}/git/trees", "/graphql:updateRefs"
COMPARE = f"{REPO}/compare/{{basehead}}"


@contextmanager
def away(here: Rig, method: str, route: str) -> Iterator[None]:
    """GitHub answers one kind of call with 502, as long as this lasts."""
    fault = planned(FaultKind.BROKEN_LONG, method, route)
    here.world.faults.append(fault)
    try:
        yield
    finally:
        here.world.faults.remove(fault)
    assert fault.met > 1


def parked(case: Case) -> list[tuple[str, int]]:
    """What this repository's parked tasks owe, and which take is to come."""
    mine = [one for one in case.store.parked.every(100) if one.repository_id == case.repository_id]
    return [(one.owed, one.request.again) for one in mine]


@pytest.mark.parametrize(
    ("route", "owed", "moved"),
    [(TREES, "prepare", False), (MOVE, "move refs", False), (PULLS, "pull request", True)],
    ids=["commits", "refs", "pull-request"],
)
def test_what_an_outage_left_undone_is_finished_without_another_night(
    service_rig: Rig, generated: Generated, route: str, owed: str, moved: bool
) -> None:
    case, runs = service_rig.started(generated, f"away-{owed.replace(' ', '-')}")
    with away(service_rig, "POST", route):
        ended = case.nightly(runs[0])
    assert ended.outcome == "parked"
    assert ended.detail.startswith(f"step {owed}: ")
    assert (case.pulls, case.tip() is not None, case.tip(EVIDENCE) is not None) == ([], moved, moved)
    assert parked(case) == [(owed, 1)]
    assert service_rig.take_up(timedelta(0)) == 0  # not at once
    assert service_rig.take_up() == 1
    assert service_rig.take_up() == 0  # it is on its way
    assert case.ended(runs[0], again=1).outcome == "published"
    assert (len(case.pulls), repeated(case.repo), parked(case)) == (1, [], [])
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 1


def test_a_check_run_that_could_not_be_put_is_put_later_and_nothing_else_changes(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "away-check")
    with away(service_rig, "POST", CHECKS):
        ended = case.nightly(runs[0])
    assert ended.outcome == "published"
    assert "no check run: " in ended.detail
    assert (case.repo.checks, parked(case)) == ({}, [("check run", 1)])
    before = dict(case.repo.git.refs("refs/heads/")), case.pull.body
    service_rig.take_up()
    assert case.ended(runs[0], again=1).outcome == "refreshed"
    (check,) = case.repo.checks.values()
    assert check.status == "completed"
    assert (dict(case.repo.git.refs("refs/heads/")), case.pull.body) == before
    assert parked(case) == []


def test_a_pull_request_that_was_forbidden_is_opened_when_it_is_allowed_without_another_night(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "allowed")
    fault = planned(FaultKind.FORBIDDEN, "POST", PULLS)
    service_rig.world.faults.append(fault)
    assert case.nightly(runs[0]).outcome == "pull_request_forbidden"
    service_rig.world.faults.remove(fault)
    (issue,) = case.issues
    service_rig.take_up()
    assert case.ended(runs[0], again=1).outcome in ("published", "refreshed")
    assert (case.pull.state, issue.state) == ("open", "closed")


def test_work_is_taken_up_a_bounded_number_of_times_later_each_time(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "away-for-good")
    with away(service_rig, "POST", TREES):
        assert case.nightly(runs[0]).outcome == "parked"
        for again in range(1, MOST_TAKES + 1):
            wait = timedelta(seconds=FIRST_WAIT_S * min(2 ** (again - 1), 24))
            assert service_rig.take_up(wait - timedelta(minutes=5)) == 0
            assert service_rig.take_up(wait) == 1
            ended = case.ended(runs[0], again=again)
            assert ended.outcome == ("given_up" if again == MOST_TAKES else "parked")
    assert ended.detail.endswith(f"given up after {MOST_TAKES + 1} takes")
    assert parked(case) == []
    assert service_rig.take_up() == 0
    assert case.nightly(runs[1]).outcome == "published"


# ------------------------------------------------------------------- people who wait


def test_commands_are_answered_while_a_nightly_of_the_repository_is_parked(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "free-lane")
    with away(service_rig, "POST", PULLS):
        assert case.nightly(runs[0]).outcome == "parked"
    talking = Talking(case)
    assert talking.say(talking.issue(), "/recalibrate help").ended.outcome == "answered"
    assert parked(case) == [("pull request", 1)]


def test_a_command_that_waits_for_github_says_until_when_and_is_answered_in_the_same_comment(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "until")
    assert case.nightly(runs[0]).outcome == "published"
    talking = Talking(case)
    with away(service_rig, "POST", f"{REPO}/git/commits"):
        said = talking.say(case.pull.number, "/recalibrate --policy strict")
    assert said.ended.outcome == "parked"
    assert said.answer.startswith("Waiting for GitHub until 20")
    assert said.reactions == ["eyes"]
    service_rig.take_up()
    key = f"command:{case.repo.id}:{said.comment.id}"
    later = Talk(case, said.comment, case.ended_by(key, 1))
    assert later.ended.outcome in ("published", "refreshed")
    assert "Waiting" not in later.answer
    assert later.reactions == ["eyes", "rocket"]
    assert repeated(case.repo) == []


def test_a_pull_requests_check_run_that_could_not_be_put_is_completed_later(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "away-registrations")
    assert case.nightly(runs[0]).outcome == "published"
    person = case.person()
    path = next(iter(generated.edits))
    head = person.commit("feature", {path: case.file("main", path) + b"\n# more\n"})
    pull = person.propose("feature")
    payload = events.pull_request(service_rig.world, case.repo, pull, "opened", pull.author)
    key = f"pull_request:{case.repo.id}:{pull.number}:{head}"
    before = len(case.repo.checks)
    with away(service_rig, "GET", COMPARE):
        assert service_rig.sandbox.deliver("pull_request", payload).status_code == 202
        assert case.ended_by(key).outcome == "parked"
    assert len(case.repo.checks) == before
    service_rig.take_up()
    assert case.ended_by(key, 1).outcome in ("checked", "nothing_to_check")
    assert len(case.repo.checks) == before + 1
    assert parked(case) == []
