"""What a nightly may cost in requests to GitHub: a few beyond one a job, and fewer where nothing is new."""

from __future__ import annotations

import pytest

from bot.sandbox.generator import Generate, Generated, generate
from bot.sandbox.logs import ROUTE as LOGS_ORIGIN
from tests.sandbox.service import Case, Rig

FIRST, SECOND, AGAIN = 24, 19, 14  # where more than a hundred files are read, one more for each hundred
GOAL = 25


def over_jobs(case: Case, run: int, mark: int) -> int:
    """Requests to the API since a mark, fresh tokens among them, beyond one a job."""
    calls = case.calls(mark)
    calls.pop(f"GET {LOGS_ORIGIN}", None)
    return calls.total() - len(case.repo.runs[run][max(case.repo.runs[run])].jobs)


def test_nightlies_cost_a_known_number_of_requests_beyond_their_jobs(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "frugal")
    journal = case.rig.world.journal
    marks = [len(journal)]
    assert case.nightly(runs[0]).outcome == "published"
    first = over_jobs(case, runs[0], marks[0])
    marks.append(len(journal))
    assert case.nightly(runs[1]).outcome == "published"
    second = over_jobs(case, runs[1], marks[1])
    marks.append(len(journal))
    assert case.again(runs[1]) == "refreshed"
    assert (first, second, over_jobs(case, runs[1], marks[2])) == (FIRST, SECOND, AGAIN)


def test_a_first_nightly_of_sixty_jobs_and_forty_edits_keeps_the_goal(
    service_rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = generate(tmp_path_factory.mktemp("sixty"), Generate(nights=1, jobs=60, edits=40))
    case, runs = service_rig.started(made, "sixty")
    mark = len(case.rig.world.journal)
    assert case.nightly(runs[0]).outcome == "published"
    assert over_jobs(case, runs[0], mark) == GOAL


def test_a_task_begins_with_one_question_for_repository_base_and_configuration(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "begins")
    mark = len(case.rig.world.journal)
    case.nightly(runs[0])
    asked = case.calls(mark)
    assert asked["GET /repos/{owner}/{repo}"] == 0
    assert asked["GET /repos/{owner}/{repo}/git/ref/{ref}"] == 0
