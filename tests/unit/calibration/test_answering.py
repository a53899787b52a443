"""Promises about answering for a lower that was merged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.calibration.answering import answer_for
from bot.calibration.decide import decide_all
from bot.calibration.policies import Policy, policy_from
from bot.domain import (
    Decision,
    EditRefusal,
    Flag,
    Identity,
    Keep,
    KeepReason,
    MergedLower,
    Proposal,
    Rejection,
    RejectionReason,
    Sample,
    TimeoutRule,
)
from tests.unit.calibration.calibration_cases import PLAIN, history, key, passes, registration, rejection

RULE = TimeoutRule(floor_s=600, factor=1.25)
OURS = MergedLower(before=3600.0, after=1200, pull="#12")
POLICY = policy_from(PLAIN, None)


def killed(day: float, read: float = 1200.0, **more: object) -> Rejection:
    """A timeout of a run whose runner read this literal."""
    found = rejection(RejectionReason.TIMEOUT, day, 1500, **more)  # type: ignore[arg-type]
    return replace(found, row=replace(found.row, logged_est_s=read))


def decided(
    literal: float,
    samples: tuple[Sample, ...],
    rejections: tuple[Rejection, ...],
    lowers: tuple[MergedLower, ...] = (OURS,),
    policy: Policy = POLICY,
) -> Decision:
    known, calls = {key(): history(samples, rejections)}, [registration(literal)]
    decisions = decide_all(calls, known, policy, lambda _: RULE)
    (found,) = answer_for(decisions, known, {key(): lowers}, policy.window, lambda _: RULE)
    return found


def test_one_timeout_at_a_limit_that_we_lowered_raises_at_once_and_names_the_pull_request() -> None:
    found = decided(1200, passes(900, 910), (killed(2),))
    assert isinstance(found, Proposal)
    assert (found.after, found.action) == (3600, "raise")
    assert Flag.OUR_LOWER_TIMED_OUT in found.flags
    assert found.detail == "#12 lowered it from 3600 to 1200, and it timed out once after 1500 s"
    assert "#12" in found.estimate.method
    assert (found.timeout_before_s, found.timeout_after_s) == (1500, 4500)


def test_it_raises_without_any_pass_and_whatever_became_of_the_file() -> None:
    found = decided(1200, (), (killed(2, identity=Identity.CHANGED), killed(3)))
    assert isinstance(found, Proposal)
    assert found.after == 3600
    assert (found.estimate.n, found.estimate.max_elapsed_s) == (0, 1500)
    assert "in 2 runs" in found.detail


def test_a_pass_that_asks_for_more_is_heard() -> None:
    found = decided(1200, passes(3000), (killed(2),), (replace(OURS, before=1800.0),))
    assert isinstance(found, Proposal)
    assert found.after == 3800


def test_the_key_is_not_lowered_while_such_a_timeout_is_in_the_window() -> None:
    found = decided(3600, passes(900, 910), (killed(2, identity=Identity.CHANGED),))
    assert isinstance(found, Keep)
    assert found.reason is KeepReason.OUR_LOWER_TIMED_OUT
    assert found.held == 1200
    assert "#12" in found.detail


def test_once_it_has_left_the_window_the_key_is_lowered_again() -> None:
    found = decided(3600, (*passes(900, 910), *later(60)), (killed(2, identity=Identity.CHANGED),))
    assert isinstance(found, Proposal)
    assert found.action == "lower"


def later(first: int) -> tuple[Sample, ...]:
    moved = passes(900, 910)
    return tuple(
        replace(
            one,
            row=replace(one.row, run_id=one.row.run_id + first),  # type: ignore[arg-type]
            night_at=one.night_at and one.night_at.replace(month=9, day=1 + day),
        )
        for day, one in enumerate(moved)
    )


@pytest.mark.parametrize(
    ("literal", "rejections", "lowers"),
    [
        (1200, (killed(2, read=1000.0),), (OURS,)),  # the run read another value
        (1200, (rejection(RejectionReason.FAILED, 2),), (OURS,)),
        (1200, (killed(2),), ()),
        (450, (killed(2, read=450.0),), (MergedLower(480.0, 450, "#12"),)),  # both limits are the floor
    ],
)
def test_nothing_else_is_answered_for(
    literal: float, rejections: tuple[Rejection, ...], lowers: tuple[MergedLower, ...]
) -> None:
    samples = passes(900, 910) if literal == 1200 else passes(300, 310)
    known = {key(): history(samples, rejections)}
    plain = decide_all([registration(literal)], known, POLICY, lambda _: RULE)
    assert (decided(literal, samples, rejections, lowers),) == plain


def test_a_person_who_raised_it_meanwhile_is_not_raised_further() -> None:
    found = decided(2000, passes(900, 910), (killed(2),))
    assert isinstance(found, Keep)


def test_a_call_that_cannot_be_edited_stays_one() -> None:
    known = {key(): history((), (killed(2),))}
    call = registration(1200, est_refusal=EditRefusal.EST_TIME_NOT_LITERAL)
    decisions = decide_all([call], known, POLICY, lambda _: RULE)
    assert answer_for(decisions, known, {key(): (OURS,)}, POLICY.window, lambda _: RULE) == decisions
