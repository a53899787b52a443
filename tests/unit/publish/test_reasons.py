"""One decision's words: the same for an answer and for a page, each reason in them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import Flag, KeepReason
from bot.publish.reasons import Reasons, reasons
from bot.publish.wording import FLAG, KEEP
from tests.unit.dashboard.page_values import keep, proposal


def test_a_change_says_what_it_becomes_and_what_that_does_to_the_limit() -> None:
    assert reasons(replace(proposal(), flags=(Flag.SINGLE_NIGHT,))) == Reasons(
        verdict="Raise to 700",
        limit="Timeout limit 1800 s as before",
        method="max x 1.25",
        measured="2 passes in 2 nights, the slowest of 500 s, say 700",
        flags=(FLAG[Flag.SINGLE_NIGHT],),
    )
    moved = replace(proposal(), timeout_before_s=1800, timeout_after_s=2500)
    assert reasons(moved).limit == "Timeout limit 1800 s now, 2500 s then"


@pytest.mark.parametrize("reason", KeepReason, ids=lambda reason: reason.value)
def test_a_keep_says_why_and_what_was_held_back(reason: KeepReason) -> None:
    found = reasons(keep(reason, detail="2 of 3"))
    assert (found.verdict, found.why, found.detail) == ("Not changed", KEEP[reason], "2 of 3")
    assert found.held == "the measurements alone would say 400"


def test_without_an_estimate_nothing_is_said_to_be_measured() -> None:
    found = reasons(keep(KeepReason.NO_SAMPLE, estimate=None, held=None))
    assert (found.method, found.measured, found.held) == ("", "", "")
