"""One letter a reason, so that a plot tells them apart without colour."""

from __future__ import annotations

from bot.dashboard.letters import LETTER, NOT_JUDGED, why_not
from bot.domain import RejectionReason, Status
from bot.overview import Verdict
from tests.unit.dashboard.page_values import judged


def test_every_reason_has_a_letter_of_its_own() -> None:
    assert LETTER.keys() == set(RejectionReason)
    letters = [*LETTER.values(), NOT_JUDGED]
    assert len(set(letters)) == len(letters)
    assert {len(letter) for letter in letters} == {1}


def test_every_status_but_a_pass_is_a_reason() -> None:
    told = {status: why_not(judged(0, None, status=status))[0] for status in Status}
    assert told[Status.PASSED] == NOT_JUDGED
    assert len(set(told.values())) == len(Status)


def test_a_sample_has_neither_letter_nor_reason() -> None:
    assert why_not(judged(0, Verdict())) == ("", "")
