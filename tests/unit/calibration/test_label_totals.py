"""What a label's tests are estimated to take together, before and after."""

from __future__ import annotations

from bot.calibration.decide import Case, decide
from bot.calibration.label_totals import label_totals
from bot.calibration.policies import policy_from
from bot.domain import Decision, LabelChange, LabelTotal, TimeoutRule
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import history, key, passes, registration


def decided(
    path: str, est_time: float, *seconds: int, labels: tuple[str, ...] | None = ("a",), **more: object
) -> Decision:
    call = registration(est_time, key(path), labels=labels, **more)
    case = Case(call, history(passes(*seconds, of=key(path))), TimeoutRule())
    return decide(case, policy_from(DEFAULT.estimate, "strict"))


def test_a_total_counts_every_active_test_of_the_label_and_the_changed_literals() -> None:
    decisions = [decided("x", 3600, 966, labels=("a", "b")), decided("y", 400, 310), decided("z", 900)]
    assert label_totals(decisions) == (
        LabelTotal("a", key().backend, 3, 4900, 2600, 1),
        LabelTotal("b", key().backend, 1, 3600, 1300, 1),
    )


def test_the_largest_difference_comes_first_whichever_way_it_goes() -> None:
    decisions = [
        decided("x", 900, 568, labels=("longest",)),  # 900 → 800
        decided("y", 400, 966, labels=("raised",)),  # 400 → 1300
        decided("z", 1000, 160, labels=("lowered",)),  # 1000 → 200
    ]
    assert [one.label for one in label_totals(decisions)] == ["raised", "lowered", "longest"]


def test_labels_without_a_changed_literal_and_disabled_tests_are_left_out() -> None:
    assert label_totals([decided("y", 400, 310), decided("x", 3600, 966, disabled="flaky")]) == ()


def test_a_label_that_is_inserted_counts_before_as_after() -> None:
    one = decided("x", 3600, 966, labels=("a",))
    change = LabelChange(one.registration, ("lora",), ("a", "lora"), "rule")
    assert LabelTotal("lora", key().backend, 1, 3600, 1300, 1) in label_totals([one], [change])


def test_other_literals_may_be_put_in_the_place_of_the_decisions() -> None:
    decisions = [decided("x", 2400, 1829), decided("y", 400, 310)]
    (total,) = label_totals(decisions, instead={key("x"): 1300})
    assert (total.before_s, total.after_s, total.changed) == (2800, 1700, 1)


def test_a_call_without_a_label_list_belongs_to_no_label() -> None:
    assert label_totals([decided("x", 3600, 966, labels=None)]) == ()
