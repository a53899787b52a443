"""Promises about installations whose event never arrived: any difference is asked about, and all come round in turn."""

from __future__ import annotations

from bot.records import Installation, InstallationLacks
from bot.tasks.untold import MOST_AGAIN, in_turn, lacking, to_ask, untold


def installation(number: int, *, suspended: bool = False) -> Installation:
    return Installation(number, f"owner-{number}", suspended)


def test_what_is_unknown_gone_or_suspended_unheard_is_asked_about_and_nothing_else() -> None:
    listed = [InstallationLacks(installation(number, suspended=number == 3)) for number in (1, 2, 3)]
    assert untold(listed, [installation(2), installation(3), installation(4)]) == (1, 3, 4)


def test_every_known_installation_at_work_comes_round() -> None:
    known = [installation(number, suspended=number == 7) for number in range(3 * MOST_AGAIN)]
    turns = [in_turn(known, turn) for turn in range(3)]
    assert {len(one) for one in turns} == {MOST_AGAIN}
    assert {number for one in turns for number in one} == set(range(3 * MOST_AGAIN)) - {7}
    assert in_turn(known[:2], 5) == (0, 1)


def test_a_sweep_asks_about_an_installation_once_and_the_next_sweep_anew() -> None:
    first, again, later = (to_ask([5], sweep)[0].key for sweep in ("10:00", "10:00", "11:00"))
    assert first == again != later


def test_only_what_is_lacking_is_told() -> None:
    listed = [InstallationLacks(installation(1)), InstallationLacks(installation(2), ("checks: write",))]
    assert lacking(listed) == {2: ("checks: write",)}
