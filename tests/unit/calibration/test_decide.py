from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.decide import Case, HeadLiteral, decide, decide_all
from bot.calibration.policies import Policy, policy_from
from bot.domain import (
    Decision,
    EditRefusal,
    Flag,
    Identity,
    Keep,
    KeepReason,
    KeyHistory,
    Proposal,
    RejectionReason,
    Sample,
    Status,
    TimeoutRule,
)
from bot.repo_config import DEFAULT
from bot.repo_config.estimation import Estimation, Estimator
from tests.unit.calibration.calibration_cases import PLAIN, history, key, passes, registration, rejection, sample

STRICT = policy_from(DEFAULT.estimate, "strict")
SHIPPED = policy_from(PLAIN)
RULE = TimeoutRule()


def judge(est_time: float, past: KeyHistory, policy: Policy = SHIPPED, head: HeadLiteral | None = None) -> Decision:
    return decide(Case(registration(est_time), past, RULE, head), policy)


def after(decision: Decision) -> int:
    assert isinstance(decision, Proposal), decision
    return decision.after


def kept(decision: Decision) -> Keep:
    assert isinstance(decision, Keep), decision
    return decision


def test_e01_the_slowest_of_ten_passes_decides_and_the_spread_is_told() -> None:
    decision = judge(500, history(passes(200, 205, 198, 202, 610, 203, 199, 201, 204, 640)))
    assert after(decision) == 800
    assert decision.estimate is not None
    assert (decision.estimate.n, decision.estimate.nights, decision.estimate.spread_s) == (10, 10, 442)


def test_e04_a_faster_night_after_a_slow_one_does_not_lower() -> None:
    assert after(judge(600, history([sample(1645, 0)]))) == 2100
    assert kept(judge(2100, history([sample(1645, 0), sample(720, 3)]))).reason is KeepReason.EQUAL


def test_e04_a_slow_night_leaves_the_window_and_a_lower_then_waits_for_a_second_night() -> None:
    past = history([sample(1645, 0), sample(720, 3), sample(1060, 28)])
    (decision,) = decide_all([registration(2100)], {key(): past}, SHIPPED, lambda _: RULE)
    assert kept(decision).reason is KeepReason.TOO_FEW_NIGHTS
    assert kept(decision).held == 1400


@pytest.mark.parametrize("policy", [STRICT, SHIPPED])
def test_e06_only_timeouts_are_said_aloud_and_need_a_person(policy: Policy) -> None:
    past = history(rejections=[rejection(RejectionReason.TIMEOUT, day) for day in range(3)])
    decision = kept(judge(900, past, policy))
    assert decision.reason is KeepReason.NEEDS_PERSON
    assert decision.action == "skip"
    assert decision.flags == (Flag.NO_PASS_ONLY_TIMEOUTS,)
    assert decision.detail == "timed out 3x at 1800 s, no pass: the estimate needs a person"


def test_e09_one_night_raises_at_once_and_never_lowers() -> None:
    past = history(passes(500))
    assert after(judge(400, past)) == 700
    held = kept(judge(1000, past))
    assert (held.reason, held.held, held.action) == (KeepReason.TOO_FEW_NIGHTS, 700, "keep")
    assert Flag.SINGLE_NIGHT in held.flags
    assert held.estimate is not None
    assert held.estimate.n == 1
    assert after(judge(1000, past, STRICT)) == 700


def test_e10_a_persons_fresher_value_stands_in_both_directions() -> None:
    for mine, past in ((700, history(passes(2000, 2000))), (2600, history(passes(500, 500)))):
        decision = kept(judge(mine, past, head=HeadLiteral(2100)))
        assert decision.reason is KeepReason.HUMAN_VALUE_NEWER
        assert decision.detail == f"2100 at the newest measured head, {mine} at the base"


def test_e10_our_own_published_commit_is_no_persons_value() -> None:
    head = HeadLiteral(2100, changed_by_us=True)
    assert after(judge(700, history(passes(2000, 2000)), head=head)) == 2500


def test_a_literal_that_the_newest_head_already_had_is_not_fresher() -> None:
    assert after(judge(700, history(passes(2000)), head=HeadLiteral(700.0))) == 2500
    assert after(judge(700, history(passes(2000)), head=HeadLiteral(None))) == 2500


def test_strict_does_not_ask_whose_value_it_is() -> None:
    assert after(judge(700, history(passes(2000)), STRICT, HeadLiteral(2100))) == 2500


def test_e13_hardware_classes_are_measured_apart_and_never_scaled_from_one_another() -> None:
    alpha, gamma = key(suite="stage-alpha"), key(suite="stage-gamma")
    pasts = {alpha: KeyHistory(alpha, passes(3000, 3000, of=alpha))}
    fast, slow = decide_all([registration(3000, alpha), registration(3000, gamma)], pasts, SHIPPED, lambda _: RULE)
    assert after(fast) == 3800
    assert kept(slow).reason is KeepReason.NO_SAMPLE


def test_e15_a_uniform_placeholder_is_replaced_for_every_file_at_once() -> None:
    keys = {f"tests/e2e/test_{n}.py": seconds for n, seconds in enumerate((2100, 1300, 900, 600, 300))}
    calls = [registration(3600, key(path)) for path in keys]
    pasts = {key(path): KeyHistory(key(path), passes(s, s, s, of=key(path))) for path, s in keys.items()}
    decisions = decide_all(calls, pasts, SHIPPED, lambda _: RULE)
    assert [after(x) for x in decisions] == [2700, 1700, 1200, 800, 400]


def test_e15_two_nights_are_enough_for_every_file_of_a_placeholder_however_large_the_drop() -> None:
    keys = {f"tests/e2e/test_{n}.py": seconds for n, seconds in enumerate((2100, 1300, 900, 600, 300))}
    pasts = {key(path): KeyHistory(key(path), passes(s, s, of=key(path))) for path, s in keys.items()}
    decisions = decide_all([registration(3600, key(path)) for path in keys], pasts, SHIPPED, lambda _: RULE)
    assert [after(x) for x in decisions] == [2700, 1700, 1200, 800, 400]


def test_e15_a_large_drop_waits_where_the_literal_is_right_for_one_of_its_files_or_nobody_elses() -> None:
    fits_one = {"tests/test_a.py": 2880, "tests/test_b.py": 900, "tests/test_c.py": 300}  # 2880 s: 3600 is right
    pasts = {key(path): KeyHistory(key(path), passes(s, s, of=key(path))) for path, s in fits_one.items()}
    *_, last = decide_all([registration(3600, key(path)) for path in fits_one], pasts, SHIPPED, lambda _: RULE)
    assert kept(last).reason is KeepReason.LARGE_DROP
    (alone,) = decide_all([registration(3600)], {key(): history(passes(300, 300))}, SHIPPED, lambda _: RULE)
    assert kept(alone).reason is KeepReason.LARGE_DROP


def test_e16_a_test_without_data_keeps_its_literal_and_is_listed() -> None:
    (decision,) = decide_all([registration(60)], {}, SHIPPED, lambda _: RULE)
    assert kept(decision).reason is KeepReason.NO_SAMPLE
    assert kept(decision).detail == "never measured in the window"
    assert kept(decision).registration.est_time == 60


def test_e20_a_lower_that_would_kill_a_known_pass_is_held() -> None:
    known = rejection(RejectionReason.UNTRUSTED_RUN, 0, 1829, Status.PASSED)
    decision = kept(judge(2400, history(passes(900, 900), [known])))
    assert (decision.reason, decision.held, decision.timeout_s) == (KeepReason.LIMIT_BELOW_KNOWN_PASS, 1200, 3000)
    assert decision.detail == "a limit of 1800 s does not clear a pass of 1829 s"


@pytest.mark.parametrize(("known_s", "proposed"), [(1799, True), (1800, False)])
def test_e20_a_limit_clears_a_pass_only_when_it_is_above_it(known_s: int, proposed: bool) -> None:
    known = rejection(RejectionReason.UNTRUSTED_RUN, 0, known_s, Status.PASSED)
    assert isinstance(judge(2400, history(passes(900, 900), [known])), Proposal) is proposed


@pytest.mark.parametrize("identity", [Identity.CHANGED, Identity.MOVED, Identity.MISSING, None])
def test_timeouts_and_known_passes_of_another_file_do_not_bind(identity: Identity | None) -> None:
    others = [
        rejection(RejectionReason.TIMEOUT, identity=identity),
        rejection(RejectionReason.UNTRUSTED_RUN, 0, 1829, Status.PASSED, identity),
    ]
    assert after(judge(2400, history(passes(900, 900), others))) == 1200


def test_e20_a_test_that_passes_only_by_its_literal_is_flagged() -> None:
    decision = judge(2400, history(passes(1825, 1829)))
    assert isinstance(decision, Proposal)
    assert decision.flags == (Flag.PASSES_ONLY_BY_LITERAL,)
    assert (decision.timeout_before_s, decision.timeout_after_s) == (3000, 2875)


def test_one_timeout_in_the_window_holds_a_lower_but_not_a_raise() -> None:
    killed = [rejection(RejectionReason.TIMEOUT, 1)]
    held = kept(judge(1000, history(passes(500, 500), killed)))
    assert (held.reason, held.detail) == (KeepReason.TIMEOUT_IN_WINDOW, "once")
    assert after(judge(400, history(passes(500, 500), killed))) == 700
    assert after(judge(1000, history(passes(500, 500), killed), STRICT)) == 700


def test_a_timeout_before_the_window_is_forgotten() -> None:
    past = history([sample(500, 40), sample(500, 41)], [rejection(RejectionReason.TIMEOUT, 0)])
    (decision,) = decide_all([registration(1000)], {key(): past}, SHIPPED, lambda _: RULE)
    assert after(decision) == 700


def test_a_partial_night_raises_and_counts_to_the_maximum_but_not_towards_a_lower() -> None:
    partial = [sample(600, 0), sample(500, 1, partial=True)]
    assert kept(judge(1000, history(partial))).reason is KeepReason.TOO_FEW_NIGHTS
    later = [*partial, sample(400, 2)]
    assert kept(judge(1000, history(later))).reason is KeepReason.PARTIAL_SUITE
    assert after(judge(1000, history([*later, sample(400, 3)]))) == 800
    assert after(judge(300, history([sample(500, partial=True)]))) == 700


def test_two_attempts_of_one_run_are_one_night() -> None:
    one_night = [sample(500, 0, attempt=1), sample(510, 0, attempt=2, job_id=8)]
    decision = kept(judge(1000, history(one_night)))
    assert decision.reason is KeepReason.TOO_FEW_NIGHTS
    assert Flag.PARTITION_OVERLAP not in decision.flags


def test_g25_one_file_in_two_partitions_of_one_run_is_noted_and_the_slower_pass_wins() -> None:
    decision = judge(300, history([sample(300, job_id=1), sample(330, job_id=2, partition_id=1)]))
    assert after(decision) == 500
    assert isinstance(decision, Proposal)
    assert Flag.PARTITION_OVERLAP in decision.flags


@pytest.mark.parametrize("policy", [STRICT, SHIPPED])
def test_g28_a_pass_of_no_time_keeps_ten_and_never_writes_zero(policy: Policy) -> None:
    assert kept(judge(10, history(passes(0, 0)), policy)).reason is KeepReason.EQUAL
    assert after(judge(30, history(passes(0, 0)), policy)) == 10


@pytest.mark.parametrize(("literal", "seconds"), [(60.0, 48), (float("1_000"), 760), (float(0x3C), 48), (6e2, 460)])
def test_r11_r12_equal_numbers_are_kept_however_they_are_written(literal: float, seconds: int) -> None:
    assert kept(judge(literal, history(passes(seconds, seconds)))).reason is KeepReason.EQUAL


def test_r11_a_fractional_literal_is_replaced_by_a_whole_one() -> None:
    assert after(judge(1.5, history(passes(3)))) == 10


def test_r04_a_backend_without_evidence_keeps_its_literal_beside_one_that_has_some() -> None:
    cuda, rocm = key(suite="lane-small"), key(suite="lane-small", backend="rocm")
    calls = [registration(60, cuda), registration(50, rocm)]
    pasts = {cuda: KeyHistory(cuda, passes(55, of=cuda))}
    first, second = decide_all(calls, pasts, SHIPPED, lambda _: RULE)
    assert after(first) == 70
    assert kept(second).reason is KeepReason.NO_SAMPLE


def test_r05_one_file_on_two_suites_gets_two_values() -> None:
    seconds = {key(suite="lane-4-alpha"): 240, key(suite="lane-4-beta"): 520}
    pasts = {k: KeyHistory(k, passes(s, s, of=k)) for k, s in seconds.items()}
    decisions = decide_all([registration(400, k) for k in seconds], pasts, SHIPPED, lambda _: RULE)
    assert [after(x) for x in decisions] == [300, 700]


def test_r06_a_disabled_call_is_not_decided() -> None:
    calls = [registration(60, disabled="flaky"), registration(70)]
    (decision,) = decide_all(calls, {key(): history(passes(88))}, SHIPPED, lambda _: RULE)
    assert (decision.registration.est_time, after(decision)) == (70, 110)


@pytest.mark.parametrize("policy", [STRICT, SHIPPED])
def test_a_literal_that_cannot_be_edited_is_kept_and_its_estimate_is_shown(policy: Policy) -> None:
    call = registration(60, est_refusal=EditRefusal.EST_TIME_NOT_LITERAL)
    decision = kept(decide(Case(call, history(passes(500, 500)), RULE), policy))
    assert (decision.reason, decision.detail, decision.held) == (
        KeepReason.CANNOT_EDIT,
        "est_time_not_literal",
        700,
    )
    assert decision.action == "skip"


def test_a_literal_that_is_no_finite_number_is_refused_and_harms_nothing() -> None:
    decision = kept(judge(float("inf"), history(passes(500, 500))))
    assert (decision.reason, decision.timeout_s) == (KeepReason.CANNOT_EDIT, 1800)


def test_r13_a_comment_that_names_another_measurement_is_flagged() -> None:
    call = registration(6000, comment_mentions_seconds=True)
    decision = decide(Case(call, history(passes(5400)), RULE), SHIPPED)
    assert after(decision) == 6800
    assert Flag.COMMENT_MENTIONS_SECONDS in decision.flags


def test_drift_is_the_newest_nights_slowest_against_the_night_before() -> None:
    decision = judge(1000, history([sample(957, 0), sample(966, 2), sample(900, 2, job_id=9)]))
    assert decision.estimate is not None
    assert (decision.estimate.drift_s, decision.estimate.hosts) == (9, 1)


def test_a_suites_own_floor_holds() -> None:
    decision = decide(Case(registration(100), history(passes(100)), TimeoutRule(floor_s=2400)), SHIPPED)
    assert isinstance(decision, Proposal)
    assert decision.timeout_after_s == 2400


def test_the_configured_headroom_and_nights_hold() -> None:
    own = Estimation.model_validate({"material": "off", "nights": {"lower": 3}, "estimator": Estimator(headroom=1.5)})
    assert kept(judge(1000, history(passes(500, 500)), policy_from(own))).reason is KeepReason.TOO_FEW_NIGHTS
    assert after(judge(1000, history(passes(500, 500, 500)), policy_from(own))) == 800


SAMPLES = st.lists(
    st.builds(
        sample,
        st.integers(0, 6000),
        st.integers(0, 5),
        job_id=st.integers(1, 4),
        attempt=st.integers(1, 2),
        partial=st.booleans(),
    ),
    max_size=8,
)
LITERALS = st.integers(1, 6000)
CALM = settings(deadline=None, derandomize=True, max_examples=150)


@given(LITERALS, SAMPLES, st.sampled_from([STRICT, SHIPPED]), st.randoms(use_true_random=False))
@CALM
def test_the_order_of_samples_does_not_matter(
    literal: int, samples: list[Sample], policy: Policy, random: object
) -> None:
    shuffled = sorted(samples, key=lambda _: random.random())  # type: ignore[attr-defined]
    first, second = judge(literal, history(samples), policy), judge(literal, history(shuffled), policy)
    assert replace(first, samples=()) == replace(second, samples=())


@given(LITERALS, SAMPLES, st.integers(0, 3000), st.sampled_from([STRICT, SHIPPED]))
@CALM
def test_a_slower_pass_never_lowers_what_is_proposed(
    literal: int, samples: list[Sample], more: int, policy: Policy
) -> None:
    slower = sample(max((x.elapsed_s for x in samples), default=0) + more, 3)
    before, then = judge(literal, history(samples), policy), judge(literal, history([*samples, slower]), policy)
    if isinstance(before, Proposal) and isinstance(then, Proposal):
        assert then.after >= before.after
    if isinstance(before, Proposal) and before.action == "raise":
        assert isinstance(then, Proposal)


REJECTIONS = st.lists(
    st.builds(
        rejection,
        st.sampled_from(RejectionReason),
        st.integers(0, 5),
        st.integers(0, 9000),
        st.sampled_from(Status),
        st.sampled_from([*Identity, None]),
    ),
    max_size=8,
)


@given(LITERALS, SAMPLES, REJECTIONS, st.sampled_from([STRICT, SHIPPED]))
@CALM
def test_a_rejected_timing_only_ever_holds_a_lower_by_a_named_guard(
    literal: int, samples: list[Sample], rejections: list, policy: Policy
) -> None:
    without, given_them = judge(literal, history(samples), policy), judge(literal, history(samples, rejections), policy)
    assert without.estimate == given_them.estimate
    if isinstance(without, Keep):
        allowed = (KeepReason.NEEDS_PERSON, KeepReason.UNCONFIRMED) if without.action in ("keep", "skip") else ()
        assert kept(given_them).reason in (without.reason, *allowed)
    elif isinstance(given_them, Keep):
        assert without.action == "lower"
        assert policy is SHIPPED
        assert given_them.reason in (
            KeepReason.TIMEOUT_IN_WINDOW,
            KeepReason.LIMIT_BELOW_KNOWN_PASS,
            KeepReason.UNCONFIRMED,
        )
