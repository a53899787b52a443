from __future__ import annotations

from dataclasses import replace

import pytest

from bot.calibration.history import newest_sample
from bot.calibration.policies import WindowRule
from bot.calibration.window import clip, inside, nights_of
from bot.domain import RejectionReason, Status
from tests.unit.calibration.calibration_cases import history, rejection, sample


def runs(past: object, rule: WindowRule | None) -> list[int]:
    return sorted(inside(nights_of([past]), rule))  # type: ignore[list-item]


def test_the_window_is_counted_back_from_the_newest_night() -> None:
    past = history([sample(1, day) for day in (0, 10, 19, 30, 31)])
    assert runs(past, WindowRule(3)) == [1019, 1030, 1031]
    assert runs(past, WindowRule(9, days=21)) == [1010, 1019, 1030, 1031]
    assert runs(past, None) == [1000, 1010, 1019, 1030, 1031]


@pytest.mark.parametrize("reason", [RejectionReason.UNTRUSTED_RUN, RejectionReason.TESTED_SHA_DIFFERS])
def test_a_run_that_is_no_night_moves_no_window(reason: RejectionReason) -> None:
    past = history([sample(1, 0)], [rejection(reason, 60)])
    assert runs(past, WindowRule(1, days=21)) == [1000]


def test_a_night_that_only_failed_is_a_night() -> None:
    past = history([sample(1, 0)], [rejection(RejectionReason.FAILED, 60)])
    assert runs(past, WindowRule(9, days=21)) == [1060]


def test_nights_of_unknown_date_count_by_their_place() -> None:
    past = history([replace(sample(1, day), night_at=None) for day in (0, 1, 2)])
    assert runs(past, WindowRule(2, days=21)) == [1001, 1002]
    assert runs(history(), WindowRule(2, days=21)) == []


def test_an_older_sample_is_rejected_by_name_and_an_older_rejection_goes() -> None:
    known = rejection(RejectionReason.UNTRUSTED_RUN, 9, status=Status.PASSED)
    past = history([sample(1, 0), sample(2, 5)], [rejection(RejectionReason.TIMEOUT, 0), known])
    clipped = clip(past, inside(nights_of([past]), WindowRule(1)))
    assert [x.elapsed_s for x in clipped.samples] == [2]
    assert [x.reason for x in clipped.rejections] == [RejectionReason.UNTRUSTED_RUN, RejectionReason.OUTSIDE_WINDOW]


def test_the_newest_contributing_head_is_that_of_the_newest_nights_last_attempt() -> None:
    past = history([sample(1, 3, attempt=1), sample(1, 3, attempt=2, head_sha="c" * 40), sample(1, 2)])
    newest = newest_sample(past)
    assert newest is not None
    assert newest.row.head_sha == "c" * 40
    assert newest_sample(history()) is None
