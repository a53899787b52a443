"""Promises about work that waits for GitHub: later each time, as long as was asked for, and not for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.parking import FIRST_WAIT_S, LONGEST_WAIT_S, MOST_TAKES, parked, to_park, wait_s
from bot.tasks.stepping import PATIENT, ParkedError

NOW = datetime(2026, 8, 2, 15, tzinfo=UTC)
AWAY = ParkedError("pull request", "502", None)


def take(again: int) -> TaskRequest:
    return TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(5), "zoo/otter", RunId(77), 1, again=again)


def test_waits_double_from_take_to_take_and_are_bounded() -> None:
    waits = [wait_s(take(again), None) for again in range(MOST_TAKES)]
    assert waits[:4] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S, 8 * FIRST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S


def test_the_servers_word_is_kept_where_it_is_longer_and_is_bounded_too() -> None:
    assert wait_s(take(0), 3000.0) == 3000.0
    assert wait_s(take(0), 30.0) == FIRST_WAIT_S
    assert wait_s(take(0), 1e9) == LONGEST_WAIT_S


def test_work_outlasts_a_day_without_github() -> None:
    assert sum(wait_s(take(again), None) for again in range(MOST_TAKES)) > timedelta(days=1).total_seconds()


def test_a_task_holds_its_lane_for_minutes_not_hours() -> None:
    assert PATIENT.lane_s == 300.0  # docs/operation.md says so


def test_a_take_that_waited_is_parked_with_what_it_owes_and_the_last_one_is_given_up() -> None:
    first = parked(take(0), AWAY)
    assert (first.name, first.owed) == (OutcomeName.PARKED, "pull request")
    later = to_park(take(0), first, NOW)
    assert later
    assert (later.key, later.request, later.due_at) == (take(0).key, take(1), NOW + timedelta(seconds=FIRST_WAIT_S))
    gone = parked(take(MOST_TAKES), AWAY)
    assert (gone.name, gone.owed) == (OutcomeName.GIVEN_UP, "")
    assert to_park(take(MOST_TAKES), first, NOW) is None


def test_what_owes_nothing_is_not_parked() -> None:
    assert to_park(take(0), Ending(OutcomeName.PUBLISHED), NOW) is None
