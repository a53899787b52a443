from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.estimators import ESTIMATORS, Example, Params
from bot.calibration.rounding import Rounding, exact, to_literal

CALM = settings(deadline=None, derandomize=True)
SECONDS = st.lists(st.integers(0, 20_000), min_size=3, max_size=20)
NAMES = st.sampled_from(sorted(ESTIMATORS))


@pytest.mark.parametrize(
    ("name", "example"),
    [pytest.param(name, x, id=f"{name}-{x.why}") for name, module in ESTIMATORS.items() for x in module.EXAMPLES],
)
def test_each_example_of_an_estimator_holds(name: str, example: Example) -> None:
    computed = ESTIMATORS[name].compute(example.seconds, example.params)
    assert (computed.value_s if computed else None) == example.value_s


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_carries_examples_of_a_value_and_of_too_few_samples(name: str) -> None:
    values = [x.value_s for x in ESTIMATORS[name].EXAMPLES]
    assert None in values
    assert any(values)


def test_e17_the_rule_is_integer_arithmetic_up_to_a_day() -> None:
    params = ESTIMATORS["max"].DEFAULTS
    for elapsed in range(0, 86_400, 7):
        raw = (5 * elapsed + 3) // 4
        step = 10 if raw <= 200 else 100
        computed = ESTIMATORS["max"].compute([elapsed], params)
        assert computed is not None
        assert computed.raw_s == raw
        assert computed.value_s == max(10, (raw + step - 1) // step * step)


@given(NAMES, SECONDS, st.randoms(use_true_random=False))
@CALM
def test_the_order_of_samples_does_not_matter(name: str, seconds: list[int], random: object) -> None:
    module = ESTIMATORS[name]
    shuffled = sorted(seconds, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert module.compute(seconds, module.DEFAULTS) == module.compute(shuffled, module.DEFAULTS)


@given(NAMES, SECONDS, st.integers(0, 20_000))
@CALM
def test_adding_a_pass_slower_than_all_never_lowers(name: str, seconds: list[int], more: int) -> None:
    module = ESTIMATORS[name]
    before = module.compute(seconds, module.DEFAULTS)
    after = module.compute([*seconds, max(seconds) + more], module.DEFAULTS)
    assert before is not None
    assert after is not None
    assert after.value_s >= before.value_s


@given(NAMES, st.lists(st.integers(0, 5_000).map(lambda x: 4 * x), min_size=3, max_size=20), st.integers(1, 50))
@CALM
def test_scaling_all_samples_scales_the_raw_estimate(name: str, seconds: list[int], scale: int) -> None:
    module = ESTIMATORS[name]
    once = module.compute(seconds, module.DEFAULTS)
    scaled = module.compute([scale * x for x in seconds], module.DEFAULTS)
    assert once is not None
    assert scaled is not None
    assert scaled.raw_s == scale * once.raw_s


@given(st.fractions(0, 100_000), st.sampled_from(Rounding))
@CALM
def test_a_literal_is_a_positive_whole_number_near_its_raw_seconds(raw: Fraction, rounding: Rounding) -> None:
    literal = to_literal(raw, rounding)
    assert literal >= 1
    assert abs(literal - raw) <= max(100, 10)
    if rounding is not Rounding.NEAREST_10:
        assert literal >= ceil(raw)


def test_a_headroom_is_the_number_a_person_wrote() -> None:
    assert exact(1.1) == Fraction(11, 10)
    assert ESTIMATORS["max"].method(Params(factor=exact(1.1))) == "max x 1.1"
