"""What label rules ask for, in the registry's order, and why some of it is not done."""

from __future__ import annotations

import pytest

from bot.domain import EditRefusal, LabelRefusal, Registration
from bot.edit.labels import LabelPlan, insert_labels, plan_labels
from bot.edit.registry_reader import LabelRegistry, UnreadRegistry
from bot.repo_config.registrations import LabelRule
from tests.unit.edit.registration_values import registration

ORDER = ("megatron", "model-scripts", "fsdp", "lora")
REGISTRY = LabelRegistry(ORDER)
LORA = LabelRule(paths=("tests/e2e/**/*_lora_ci.py",), require=("megatron", "model-scripts", "lora"))
PATH = "tests/e2e/zoo/test_otter_lora_ci.py"


def plan(found: Registration, *rules: LabelRule) -> LabelPlan:
    return plan_labels(rules or (LORA,), REGISTRY, [found])


@pytest.mark.parametrize(
    ("present", "missing", "after"),
    [
        (("model-scripts",), ("megatron", "lora"), ("megatron", "model-scripts", "lora")),
        (("lora", "megatron"), ("fsdp",), ("fsdp", "lora", "megatron")),
        (("own",), ("lora", "megatron"), ("own", "megatron", "lora")),
        (("lora", "lora"), ("lora",), ("lora", "lora")),
        ((), ("lora", "fsdp"), ("fsdp", "lora")),
        (("fsdp",), ("unheard-of",), ("fsdp",)),
    ],
)
def test_a_missing_label_stands_before_the_first_that_follows_it(
    present: tuple[str, ...], missing: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert insert_labels(present, missing, ORDER) == after


def test_a_rule_becomes_one_change_with_its_own_words() -> None:
    found = registration(PATH, ("model-scripts",))
    (change,) = plan(found).changes
    assert (change.registration, change.add) == (found, ("megatron", "lora"))
    assert change.after == ("megatron", "model-scripts", "lora")
    assert change.rule == "tests/e2e/**/*_lora_ci.py → megatron, model-scripts, lora"


def test_two_rules_make_one_change() -> None:
    second = LabelRule(paths=("**/test_otter*",), require=("fsdp",))
    (change,) = plan(registration(PATH, ()), LORA, second).changes
    assert change.after == ORDER
    assert change.rule.count("→") == 2


@pytest.mark.parametrize(
    "found",
    [
        registration(PATH, ("lora", "model-scripts", "megatron", "lora")),  # has them all: no sorting, no dedupe
        registration("tests/e2e/zoo/test_otter.py", ("fsdp",)),  # no rule for it
        registration(PATH, ("fsdp",), disabled="flaky"),
    ],
)
def test_nothing_is_asked_of_a_call_that_needs_nothing(found: Registration) -> None:
    assert plan(found) == LabelPlan((), ())


def test_a_rule_with_an_unknown_label_is_refused_as_a_whole_and_other_rules_stand() -> None:
    wrong = LabelRule(paths=("**",), require=("fsdp", "megatorn"))
    found = plan(registration(PATH, ("model-scripts",)), wrong, LORA)
    assert [change.add for change in found.changes] == [("megatron", "lora")]
    assert [(refused.reason, "'megatorn'" in refused.detail) for refused in found.refused] == [
        (LabelRefusal.UNKNOWN_LABEL, True)
    ]


def test_without_a_registry_nothing_is_edited_and_the_reason_is_given() -> None:
    found = plan_labels((LORA,), UnreadRegistry("the file does not exist"), [registration(PATH, ())])
    assert found.changes == ()
    assert [(x.reason, x.detail) for x in found.refused] == [(LabelRefusal.NO_REGISTRY, "the file does not exist")]


@pytest.mark.parametrize(
    "refusal",
    [EditRefusal.LABELS_NOT_LITERAL, EditRefusal.LABELS_NOT_A_LIST, EditRefusal.NO_LABEL_LIST],
)
def test_a_list_that_cannot_be_edited_is_refused_with_its_reason(refusal: EditRefusal) -> None:
    found = plan(registration(PATH, None, refusal=refusal))
    assert [(x.reason, x.detail) for x in found.refused] == [(LabelRefusal.CANNOT_EDIT, refusal.value)]
