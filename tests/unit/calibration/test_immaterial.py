from __future__ import annotations

import pytest

from bot.calibration.decide import Case, decide, decide_all
from bot.calibration.immaterial import hold_immaterial
from bot.calibration.partition import partition_sizes
from bot.calibration.policies import policy_from, with_material
from bot.domain import Decision, Keep, KeepReason, KeyHistory, Proposal, RejectionReason, Status, TimeoutRule
from bot.repo_config.estimation import Estimation
from tests.unit.calibration.calibration_cases import (
    history,
    key,
    passes,
    plan,
    registration,
    rejection,
    run,
    sample,
)

PLAIN = policy_from(Estimation(material="off"))
MATERIAL = with_material(PLAIN)
RULE = TimeoutRule()


def suite(*extra: tuple[str, float, int]) -> tuple[tuple[Decision, ...], dict]:
    """Twenty files that are right, and some more: (path, literal, seconds on two nights)."""
    rows = [*((f"steady{n}", 1000, 800) for n in range(20)), *extra]
    calls = [registration(literal, key(path)) for path, literal, _ in rows]
    pasts = {key(p): KeyHistory(key(p), passes(s, s, of=key(p))) for p, _, s in rows}
    return decide_all(calls, pasts, MATERIAL, lambda _: RULE), pasts


def test_an_immaterial_proposal_is_kept_with_its_size_and_its_value() -> None:
    decisions, pasts = suite(("a", 170, 150), ("big", 3000, 800))
    *_, small, big = hold_immaterial(decisions, pasts, MATERIAL, {})
    assert isinstance(small, Keep)
    assert (small.reason, small.held, small.action) == (KeepReason.IMMATERIAL, 190, "keep")
    assert small.detail == "+20 s"
    assert isinstance(big, Proposal)
    assert big.after == 1000


@pytest.mark.parametrize("seconds", [345, 338, 352, 330], ids=str)
def test_e07_a_literal_that_proposals_circle_around_is_left_alone(seconds: int) -> None:
    """Nightly proposals a few seconds around the literal: the rule's buckets and the bands make no edit of them."""
    decisions, pasts = suite(("a", 430, seconds))
    *_, last = hold_immaterial(decisions, pasts, MATERIAL, {})
    assert isinstance(last, Keep)


def test_without_materiality_every_decision_stays_as_it_is() -> None:
    decisions, pasts = suite(("a", 170, 150))
    assert hold_immaterial(decisions, pasts, PLAIN, {}) == decisions


def test_suites_and_backends_are_judged_apart() -> None:
    alone = key("a", suite="other")
    decisions, pasts = suite()
    call = registration(170, alone)
    lone = decide(Case(call, KeyHistory(alone, passes(100, 100, of=alone)), RULE), MATERIAL)
    held = hold_immaterial([*decisions, lone], pasts, MATERIAL, {})
    assert isinstance(held[-1], Proposal)  # 170 of a suite of 170 is a lot


def test_a_killed_file_fills_its_partition_in_the_prediction() -> None:
    killed = rejection(RejectionReason.TIMEOUT, 1)
    past = KeyHistory(key(), (), (killed,))
    decisions, pasts = suite(("a", 400, 400))
    held = hold_immaterial(
        [*decisions, decide(Case(registration(900), past, RULE), MATERIAL)], {**pasts, key(): past}, MATERIAL, {}
    )
    assert held[-1].registration.key == key()
    assert isinstance(held[-1], Keep)


def test_a_literal_that_is_no_number_does_not_disturb_its_suite() -> None:
    decisions, pasts = suite(("big", 3000, 800))
    odd = decide(Case(registration(float("inf")), history(passes(10)), RULE), MATERIAL)
    held = hold_immaterial([odd, *decisions], pasts, MATERIAL, {})
    assert held[0] is odd
    assert isinstance(held[-1], Proposal)


def test_the_size_is_that_of_the_newest_run() -> None:
    runs = [run(0, [plan(0, 3, [("a", 1)])]), run(1, [plan(0, 2, [("a", 1)])])]
    assert list(partition_sizes(runs).values()) == [2]


def test_material_estimates_follow_the_newest_nights_a_lower_needs() -> None:
    past = history(passes(1645, 720, 700))
    decision = decide(Case(registration(2100), past, RULE), MATERIAL)
    assert isinstance(decision, Proposal)
    assert decision.estimate.max_elapsed_s == 720
    assert decision.estimate.n == len(decision.samples) == 2


def test_a_lower_goes_no_further_than_what_clears_a_slow_pass_of_three_nights() -> None:
    decision = decide(Case(registration(2400), history(passes(1829, 900, 900)), RULE), MATERIAL)
    assert isinstance(decision, Proposal)
    assert (decision.after, decision.timeout_after_s) == (1500, 1875)
    assert decision.estimate.method == "max x 1.25, clearing a slower pass"


def test_a_slow_night_that_is_no_longer_new_still_raises_a_limit_that_would_kill_it() -> None:
    past = history([sample(1850, 0, run_id=1), sample(800, 1), sample(800, 2)])
    (decision,) = decide_all([registration(1000)], {key(): past}, MATERIAL, lambda _: RULE)
    assert isinstance(decision, Proposal)
    assert decision.after == 1500
    assert hold_immaterial([decision], {key(): past}, MATERIAL, {}) == (decision,)


def test_a_known_pass_outside_the_samples_floors_a_lower_too() -> None:
    known = rejection(RejectionReason.UNTRUSTED_RUN, 0, 1829, Status.PASSED)
    past = history([sample(900, 1), sample(900, 2)], [known])
    decision = decide(Case(registration(2400), past, RULE), MATERIAL)
    assert isinstance(decision, Proposal)
    assert decision.after == 1500


def test_three_faster_nights_make_an_older_slow_pass_history() -> None:
    decision = decide(Case(registration(2400), history(passes(1829, 900, 900, 900)), RULE), MATERIAL)
    assert isinstance(decision, Proposal)
    assert decision.after == 1200
