from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest

from bot.calibration.decide import Case, decide
from bot.calibration.estimators import ESTIMATORS
from bot.calibration.guards import GUARDS
from bot.calibration.policies import Guard, Needs, Policy, WindowRule, in_service, policy_from
from bot.domain import Keep, KeepReason, Proposal, TimeoutRule
from bot.errors import UserError
from bot.repo_config import DEFAULT
from bot.repo_config.estimation import Estimation, Estimator
from tests.unit.calibration.calibration_cases import history, passes, registration


def test_strict_is_the_rule_on_the_given_runs_without_any_guard_rail() -> None:
    assert policy_from(DEFAULT.estimate, "strict") == Policy("strict")


def test_default_is_what_the_documents_say() -> None:
    policy = policy_from(DEFAULT.estimate)
    assert policy.method == "max x 1.25"
    assert (policy.nights_raise, policy.nights_lower) == (1, 2)
    assert policy.window == WindowRule(nights=14, days=21)
    assert policy.guards == tuple(Guard)
    assert policy.material is not None
    assert policy.needs == Needs()


def test_every_difference_is_proposed_under_the_first_four_guard_rails_where_material_is_off() -> None:
    policy = policy_from(Estimation(material="off"))
    assert policy.guards == (Guard.HUMAN_VALUE, Guard.NIGHTS, Guard.TIMEOUT, Guard.LIMIT)
    assert (policy.material, policy.recent, policy.binding) == (None, None, None)


@pytest.mark.parametrize(
    ("written", "guard"),
    [
        ({"hosts": {"lower": 2}}, Guard.HOSTS),
        ({"max_drop": 0.5}, Guard.DROP),
        ({"nights": {"drop": 4}}, Guard.DROP),
        ({"collapse": 0.5}, Guard.COLLAPSE),
        ({"band": {"seconds": 60}}, Guard.DECLINED),
        ({"mass_change": {"share": 0.8}}, Guard.MASS_CHANGE),
    ],
    ids=["hosts", "max_drop", "nights.drop", "collapse", "band", "mass_change"],
)
def test_a_guard_rail_whose_setting_is_written_holds_with_material_off_too(written: dict, guard: Guard) -> None:
    policy = policy_from(Estimation.model_validate({"material": "off", **written}))
    assert set(policy.guards) == {Guard.HUMAN_VALUE, Guard.NIGHTS, Guard.TIMEOUT, Guard.LIMIT, guard}


def test_guard_rails_that_are_named_hold_and_no_others() -> None:
    assert policy_from(Estimation(material="off", guards=("drop",))).guards == (Guard.DROP,)
    assert policy_from(Estimation(material="off", guards=())).guards == ()


def test_the_service_looks_at_the_last_two_nights_where_strict_has_no_runs_given() -> None:
    assert in_service(policy_from(DEFAULT.estimate, "strict")).window == WindowRule(nights=2)
    assert in_service(policy_from(DEFAULT.estimate)) == policy_from(DEFAULT.estimate)


@pytest.mark.parametrize("name", ["strict", "default"])
def test_the_configured_headroom_is_every_policys(name: str) -> None:
    own = Estimation(estimator=Estimator(headroom=1.1))
    assert policy_from(own, name).params.factor == Fraction(11, 10)


def test_an_unknown_policy_or_estimator_is_named_with_the_choices() -> None:
    with pytest.raises(UserError, match="unknown policy 'loose': choose one of default, strict"):
        policy_from(DEFAULT.estimate, "loose")
    choices = ", ".join(sorted(ESTIMATORS))
    with pytest.raises(UserError, match=f"unknown estimator 'guess': choose one of {choices}"):
        policy_from(Estimation(estimator=Estimator(name="guess")))


def test_every_guard_rail_has_its_check() -> None:
    assert set(GUARDS) == set(Guard) - {Guard.MASS_CHANGE}  # which looks at a suite, not at a key


def test_an_estimator_keeps_its_own_factor_where_nobody_wrote_a_headroom() -> None:
    assert policy_from(Estimation(estimator=Estimator(name="median"))).method == "median x 1.1"
    assert policy_from(Estimation(estimator=Estimator(name="median", headroom=1.25))).method == "median x 1.25"


def test_e08_a_quantile_of_two_samples_is_too_few_and_of_three_carries_n_and_spread() -> None:
    own = policy_from(Estimation(estimator=Estimator(name="quantile")), "strict")
    two = decide(Case(registration(400), history(passes(100, 110)), TimeoutRule()), own)
    assert isinstance(two, Keep)
    assert (two.reason, two.detail) == (KeepReason.TOO_FEW_SAMPLES, "2 of the 3 samples that p90 x 1.25 needs")
    three = decide(Case(registration(400), history(passes(100, 110, 400)), TimeoutRule()), own)
    assert three.estimate is not None
    assert (three.estimate.raw_s, three.estimate.n, three.estimate.spread_s) == (427.5, 3, 300)


@pytest.mark.parametrize("material", ["on", "off"])
@pytest.mark.parametrize("fewest", [1, 3, 14])
@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_a_window_with_as_many_nights_as_an_estimator_asks_for_gives_a_value(
    name: str, fewest: int, material: Literal["on", "off"]
) -> None:
    own = policy_from(Estimation(estimator=Estimator(name=name, min_samples=fewest), material=material))
    decision = decide(Case(registration(400), history(passes(*[900] * 14)), TimeoutRule()), own)
    assert isinstance(decision, Proposal)


def test_only_the_slowest_pass_is_looked_for_in_the_newest_nights_and_any_other_value_in_the_window() -> None:
    seen = {name: policy_from(Estimation(estimator=Estimator(name=name))).recent for name in ESTIMATORS}
    assert seen == {"max": 2, "quantile": None, "median": None, "mean": None}
    assert policy_from(Estimation(estimator=Estimator(min_samples=5))).recent == 5


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_no_estimators_value_has_a_limit_at_a_slow_pass_of_the_newest_three_nights(name: str) -> None:
    own = policy_from(Estimation(estimator=Estimator(name=name)))
    past = history(passes(*[600] * 11, 2100, 600, 600))
    decision = decide(Case(registration(3600), past, TimeoutRule()), own)
    assert isinstance(decision, Proposal)
    assert decision.timeout_after_s > 2100
