"""The later guard rails, each by the case that asks for it: hosts, large drops, lost logs, declined values, probes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration import hosts
from bot.calibration.decide import Case, Surroundings, decide, decide_all
from bot.calibration.estimators import ESTIMATORS
from bot.calibration.immaterial import hold_immaterial
from bot.calibration.mass import hold_mass_changes, mass_changes
from bot.calibration.policies import Policy, policy_from, with_material
from bot.calibration.window import Night
from bot.domain import (
    Decision,
    Flag,
    HostMedian,
    Keep,
    KeepReason,
    KeyHistory,
    Proposal,
    RejectionReason,
    RunId,
    Suite,
    TimeoutRule,
)
from bot.repo_config.estimation import Estimation
from tests.unit.calibration.calibration_cases import (
    FIRST_NIGHT,
    PLAIN,
    SUITE,
    history,
    key,
    passes,
    registration,
    rejection,
    sample,
)

POLICY = policy_from(PLAIN)
RULE = TimeoutRule()


def own(**estimate: object) -> Policy:
    return policy_from(Estimation.model_validate({"material": "off", **estimate}))


def judge(est: float, past: KeyHistory, policy: Policy = POLICY, **known: object) -> Decision:
    return decide(Case(registration(est), past, RULE, **known), policy)  # type: ignore[arg-type]


def why(decision: Decision) -> KeepReason | str:
    return decision.reason if isinstance(decision, Keep) else decision.action


def test_a_drop_over_seventy_percent_waits_for_a_third_night() -> None:
    assert why(judge(1000, history(passes(200, 200)))) == "lower"  # to 300: exactly 70 %
    held = judge(1100, history(passes(200, 200)))
    assert isinstance(held, Keep)
    assert (held.reason, held.held) == (KeepReason.LARGE_DROP, 300)
    assert held.detail == "73 percent down, 2 of the 3 nights it needs"
    assert why(judge(1100, history(passes(200, 200, 200)))) == "lower"


def test_e02_a_cut_to_almost_nothing_is_undone_at_once_by_a_slow_pass_elsewhere() -> None:
    ten = history([sample(12 + n % 4, 0, job_id=n) for n in range(1, 11)])
    assert why(judge(300, ten)) is KeepReason.TOO_FEW_NIGHTS  # ten samples of one night are one night
    two = history([*ten.samples, sample(15, 1)])
    assert why(judge(300, two)) is KeepReason.LARGE_DROP
    three = [*two.samples, sample(14, 2)]
    assert why(judge(300, history(three))) == "lower"
    raised = judge(20, history([*three, sample(491, 3, runner_name="runner-2")]))
    assert isinstance(raised, Proposal)
    assert (raised.action, raised.after) == ("raise", 700)


def test_what_a_drop_needs_is_configured() -> None:
    past = history(passes(200, 200))
    assert why(judge(1100, past, own(max_drop=0.8))) == "lower"
    assert why(judge(1100, past, own(nights={"drop": 2}))) == "lower"
    assert why(judge(1100, past, own(guards=("nights",)))) == "lower"


def test_a_lower_needs_its_hosts() -> None:
    two = own(hosts={"lower": 2})
    alone = history(passes(500, 500))
    assert why(judge(1000, alone, two)) is KeepReason.TOO_FEW_HOSTS
    assert why(judge(400, alone, two)) == "raise"
    both = history([sample(500, 0), sample(500, 1, runner_name="runner-2")])
    assert why(judge(1000, both, two)) == "lower"
    assert why(judge(1000, history([sample(500, day, runner_name="") for day in (0, 1)]))) == "lower"


def test_no_lower_while_a_log_of_the_suite_is_lost_in_the_nights_it_looks_at() -> None:
    lost = Night(RunId(1002), FIRST_NIGHT.replace(day=12))
    past = {key(): history(passes(500, 500))}
    known = Surroundings(partial={Suite(SUITE): (lost,)})
    (held,) = decide_all([registration(1000)], past, POLICY, lambda _: RULE, known)
    assert why(held) is KeepReason.PARTIAL_SUITE
    (other,) = decide_all(
        [registration(1000)], past, POLICY, lambda _: RULE, Surroundings(partial={Suite("x"): (lost,)})
    )
    assert why(other) == "lower"
    (raised,) = decide_all([registration(400)], past, POLICY, lambda _: RULE, known)
    assert why(raised) == "raise"


@pytest.mark.parametrize(
    ("now_s", "expected"),
    [
        (500, KeepReason.DECLINED),
        (550, KeepReason.DECLINED),
        (551, "lower"),
        (450, KeepReason.DECLINED),
        (449, "lower"),
    ],
)
def test_a_declined_value_stays_declined_until_the_evidence_leaves_the_band(now_s: int, expected: object) -> None:
    past = history(passes(now_s, now_s))
    assert why(judge(1000, past, declined_s=(500.0,))) == expected


def test_of_short_tests_the_band_is_thirty_seconds() -> None:
    assert why(judge(300, history(passes(90, 90)), declined_s=(60.0,))) is KeepReason.DECLINED
    assert why(judge(300, history(passes(91, 91)), declined_s=(60.0,))) == "lower"


def test_e06_a_test_killed_every_night_may_be_probed() -> None:
    killed = [rejection(RejectionReason.TIMEOUT, day) for day in range(3)]
    assert why(judge(900, history(rejections=killed))) is KeepReason.NEEDS_PERSON
    tried = judge(900, history(rejections=killed), own(probe="on"))
    assert isinstance(tried, Proposal)
    assert (tried.after, tried.timeout_before_s, tried.timeout_after_s) == (2200, 1800, 2750)
    assert {Flag.PROBE, Flag.NO_PASS_ONLY_TIMEOUTS} <= set(tried.flags)
    assert hold_immaterial([tried], {}, with_material(own(probe="on")), {}) == (tried,)


def test_a_limit_that_was_raised_since_is_tried_before_it_is_raised_again() -> None:
    killed = [rejection(RejectionReason.TIMEOUT, day) for day in range(3)]
    assert why(judge(2200, history(rejections=killed), own(probe="on"))) is KeepReason.NEEDS_PERSON
    assert why(judge(900, history(rejections=killed[:1]), own(probe="on"))) is KeepReason.NEEDS_PERSON


def test_an_outlier_host_is_named_and_not_averaged_away() -> None:
    slow = sample(900, 3, runner_name="runner-9")
    past = history([*passes(300, 310), sample(305, 2, runner_name="runner-2"), slow])
    decision = judge(400, past)
    assert isinstance(decision, Proposal)
    assert decision.after == 1200  # the slowest pass decides all the same
    assert decision.estimate.outliers == (HostMedian("runner-9", 900, 305),)
    assert Flag.OUTLIER_HOST in decision.flags


def test_of_two_hosts_nobody_can_say_which_is_the_outlier() -> None:
    assert hosts.outliers([sample(300, 0), sample(900, 1, runner_name="runner-2")]) == ()


def suite(newest: dict[str, int], before: dict[str, int]) -> tuple[dict, tuple[Decision, ...]]:
    pasts = {}
    for name, seconds in before.items():
        of = key(name)
        pasts[of] = KeyHistory(of, (*passes(seconds, seconds, of=of), sample(newest[name], 2, of)))
    calls = [registration(1000, of) for of in pasts]
    return pasts, decide_all(calls, pasts, POLICY, lambda _: RULE)


FILES = {f"test_{n}.py": 300 + 10 * n for n in range(8)}


def test_a_suite_that_moves_together_is_one_question_and_no_proposal() -> None:
    pasts, decisions = suite({name: 2 * s for name, s in FILES.items()}, FILES)
    assert any(isinstance(x, Proposal) for x in decisions)
    changes = mass_changes(pasts, POLICY)
    assert [str(x) for x in changes] == [
        f"{SUITE} (cuda): 8 of 8 measured files became slower in one night, by a factor of 2.00 in the median"
    ]
    held = hold_mass_changes(decisions, changes)
    assert {why(x) for x in held if isinstance(x, Keep)} <= {KeepReason.MASS_CHANGE, KeepReason.EQUAL}
    assert not any(isinstance(x, Proposal) for x in held)


def test_a_faster_machine_is_asked_about_too() -> None:
    pasts, _ = suite({name: s // 2 for name, s in FILES.items()}, FILES)
    (change,) = mass_changes(pasts, POLICY)
    assert "became faster" in str(change)


@pytest.mark.parametrize("moving", [0, 1, 4])
def test_half_a_suite_is_not_most_of_it(moving: int) -> None:
    newest = {name: s * (2 if n < moving else 1) for n, (name, s) in enumerate(FILES.items())}
    assert mass_changes(suite(newest, FILES)[0], POLICY) == ()


def test_few_files_or_a_first_night_are_no_mass_change() -> None:
    few = dict(list(FILES.items())[:4])
    assert mass_changes(suite({name: 3 * s for name, s in few.items()}, few)[0], POLICY) == ()
    first = {key(n): KeyHistory(key(n), passes(s, of=key(n))) for n, s in FILES.items()}
    assert mass_changes(first, POLICY) == ()


def test_two_more_nights_like_it_answer_the_question() -> None:
    pasts = {}
    for name, seconds in FILES.items():
        of = key(name)
        pasts[of] = KeyHistory(of, passes(seconds, seconds, seconds, 2 * seconds, 2 * seconds, 2 * seconds, of=of))
    assert mass_changes(pasts, POLICY) == ()


def test_the_question_can_be_turned_off() -> None:
    pasts, _ = suite({name: 2 * s for name, s in FILES.items()}, FILES)
    assert mass_changes(pasts, own(guards=("nights",))) == ()


@given(
    st.lists(st.integers(1, 4000), min_size=3, max_size=8),
    st.integers(2, 9),
    st.sampled_from(sorted(ESTIMATORS)),
)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_scaling_all_samples_scales_the_raw_estimate(seconds: list[int], by: int, name: str) -> None:
    estimator = ESTIMATORS[name]
    once = estimator.compute(seconds, estimator.DEFAULTS)
    scaled = estimator.compute([x * by for x in seconds], estimator.DEFAULTS)
    assert once is not None
    assert scaled is not None
    slack = by if name == "max" else 0  # the rule rounds up to a whole second before the buckets
    assert abs(scaled.raw_s - once.raw_s * by) <= slack
