"""Passes that are set aside until another night confirms them (a skipped run, a false pass, a collapse)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.decide import Case, decide
from bot.calibration.doubts import set_aside, unconfirmed
from bot.calibration.policies import policy_from, with_material
from bot.domain import Decision, Doubt, Flag, Keep, KeepReason, Proposal, RejectionReason, Sample, TimeoutRule
from tests.unit.calibration.calibration_cases import PLAIN, history, passes, registration, sample

POLICY = policy_from(PLAIN)
POLICIES = [POLICY, with_material(POLICY)]


def doubtful(seconds: int, day: int, doubt: Doubt) -> Sample:
    return sample(seconds, day, doubt=doubt, doubt_line=41)


def judged(est: float, samples: list[Sample], policy: object = POLICY) -> Decision:
    settled = set_aside(history(samples), policy)  # type: ignore[arg-type]
    return decide(Case(registration(est), settled, TimeoutRule()), policy)  # type: ignore[arg-type]


def reasons(samples: list[Sample]) -> list[RejectionReason]:
    return [x.reason for x in unconfirmed(set_aside(history(samples), POLICY))]


@pytest.mark.parametrize("policy", POLICIES)
def test_g23_a_false_pass_raises_nothing_and_is_flagged(policy: object) -> None:
    past = [*passes(95, 94, 95), doubtful(903, 3, Doubt.ERRORS)]
    decision = judged(120, past, policy)
    assert isinstance(decision, Keep)
    assert decision.reason is KeepReason.EQUAL
    assert Flag.UNCONFIRMED_PASS in decision.flags
    assert reasons(past) == [RejectionReason.FALSE_PASS]
    (aside,) = unconfirmed(set_aside(history(past), POLICY))
    assert aside.detail == "its output says errors, line 41"


def test_a_second_night_with_the_same_errors_at_the_same_length_counts() -> None:
    past = [*passes(95, 94), doubtful(903, 2, Doubt.ERRORS), doubtful(910, 3, Doubt.ERRORS)]
    assert reasons(past) == []
    decision = judged(120, past)
    assert isinstance(decision, Proposal)
    assert decision.after == 1200


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("doubt", [Doubt.SKIPPED, Doubt.NO_TESTS])
def test_g24_a_skipped_run_never_lowers_however_often_it_comes(policy: object, doubt: Doubt) -> None:
    for nights in (1, 2, 5):
        past = [*passes(455, 461, 448), *(doubtful(18, 3 + day, doubt) for day in range(nights))]
        decision = judged(600, past, policy)
        assert isinstance(decision, Keep)
        assert decision.reason is KeepReason.EQUAL
        assert reasons(past) == [RejectionReason.SKIPPED_RUN] * nights
        held = judged(900, past, policy)
        assert isinstance(held, Keep)
        assert held.reason is KeepReason.UNCONFIRMED


def test_only_skipped_runs_are_no_measurement() -> None:
    decision = judged(600, [doubtful(18, 0, Doubt.SKIPPED)])
    assert isinstance(decision, Keep)
    assert (decision.reason, decision.action, decision.detail) == (KeepReason.NO_SAMPLE, "skip", "unused: skipped_run")


def test_a_night_that_takes_as_long_and_ran_confirms_a_skipped_one() -> None:
    assert reasons([doubtful(20, 0, Doubt.SKIPPED), sample(22, 1)]) == []


@pytest.mark.parametrize("policy", POLICIES)
def test_a_collapse_waits_for_a_second_night(policy: object) -> None:
    assert reasons([*passes(455, 461, 448), sample(18, 3)]) == [RejectionReason.COLLAPSED]
    held = judged(900, [*passes(455, 461, 448), sample(18, 3)], policy)
    assert isinstance(held, Keep)
    assert held.reason is KeepReason.UNCONFIRMED
    assert reasons([*passes(455, 461, 448), sample(18, 3), sample(19, 4)]) == []


def test_a_difference_of_seconds_is_no_collapse() -> None:
    assert reasons(list(passes(30, 30, 5))) == []


def test_a_slow_first_night_does_not_make_the_second_the_doubtful_one_for_good() -> None:
    assert reasons(list(passes(900, 95, 96))) == []


@given(
    st.lists(st.builds(sample, st.integers(0, 4000), st.integers(0, 6), job_id=st.integers(1, 3)), max_size=7),
    st.lists(st.sampled_from([None, *Doubt]), min_size=7, max_size=7),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_what_is_set_aside_depends_on_no_order_and_loses_nothing(
    samples: list[Sample], doubts: list[Doubt | None], random: object
) -> None:
    given_them = [replace(x, row=replace(x.row, doubt=doubt)) for x, doubt in zip(samples, doubts, strict=False)]
    shuffled = sorted(given_them, key=lambda _: random.random())  # type: ignore[attr-defined]
    one, two = set_aside(history(given_them), POLICY), set_aside(history(shuffled), POLICY)
    assert set(one.samples) == set(two.samples)
    assert {x.row: x.reason for x in one.rejections} == {x.row: x.reason for x in two.rejections}
    assert {x.row for x in one.samples} | {x.row for x in one.rejections} == {x.row for x in given_them}
