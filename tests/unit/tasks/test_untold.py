"""Promises about installations whose event never arrived: any difference is asked about, and all come round in turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.records.repositories import Installation, InstallationLacks
from bot.tasks.sweeping import number_of, sweep_request
from bot.tasks.untold import MOST_AGAIN, in_turn, known_in_turn, lacking, to_ask, untold


def installation(number: int, *, suspended: bool = False) -> Installation:
    return Installation(number, f"owner-{number}", suspended)


def test_what_is_unknown_gone_or_suspended_unheard_is_asked_about_and_nothing_else() -> None:
    listed = [InstallationLacks(installation(number, suspended=number == 3)) for number in (1, 2, 3)]
    assert untold(listed, [installation(2), installation(3), installation(4)]) == (1, 3, 4)


def test_every_known_installation_at_work_comes_round() -> None:
    known = [installation(number, suspended=number == 7) for number in range(3 * MOST_AGAIN)]
    turns = [known_in_turn(known, turn) for turn in range(3)]
    assert {len(one) for one in turns} == {MOST_AGAIN}
    assert {number for one in turns for number in one} == set(range(3 * MOST_AGAIN)) - {7}
    assert known_in_turn(known[:2], 5) == (0, 1)


@pytest.mark.parametrize("every_minutes", [1, 60, 90, 1440])
@pytest.mark.parametrize("count", [201, 240, 300, 1200])
def test_nobody_is_left_out_however_many_there_are_and_however_often_is_swept(count: int, every_minutes: int) -> None:
    start = datetime(2026, 10, 24, 22, tzinfo=UTC)  # clocks change in that night
    moments = [start + timedelta(minutes=every_minutes * number) for number in range(count)]
    turns = [number_of(sweep_request(at, every_minutes), every_minutes) for at in moments]
    seen = {one for turn in turns for one in in_turn(range(count), turn, 200)}
    assert seen == set(range(count))


def test_a_sweep_asks_about_an_installation_once_and_the_next_sweep_anew() -> None:
    first, again, later = (to_ask([5], sweep)[0].key for sweep in ("10:00", "10:00", "11:00"))
    assert first == again != later


def test_only_what_is_lacking_is_told() -> None:
    listed = [InstallationLacks(installation(1)), InstallationLacks(installation(2), ("checks: write",))]
    assert lacking(listed) == {2: ("checks: write",)}
