"""Promises of what is told of GitHub's rate limit."""

from __future__ import annotations

from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from bot.forge.calls import Budget, Half, Heard, answered
from bot.metrics.budgets import MOST_HELD, Budgets
from tests.unit.metrics.scraped import samples

LEFT = "recalibrate_github_budget_remaining"


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def told(budgets: Budgets) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(budgets)
    return {name.removeprefix(LEFT): value for name, value in samples(registry).items() if name.startswith(LEFT)}


def test_of_several_installations_the_one_with_the_smallest_share_left_is_told() -> None:
    budgets = Budgets(Clock())
    budgets.note(Budget("core", 15000, 3000, 2000))
    budgets.note(Budget("core", 5000, 2500, 2100))
    budgets.note(Budget("graphql", 5000, 4999, 2000))
    assert told(budgets) == {'{resource="core"}': 3000.0, '{resource="graphql"}': 4999.0}


def test_an_answer_that_comes_late_does_not_give_anything_back() -> None:
    budgets = Budgets(Clock())
    budgets.note(Budget("core", 5000, 10, 2000))
    budgets.note(Budget("core", 5000, 11, 2000))
    assert told(budgets) == {'{resource="core"}': 10.0}


def test_a_budget_that_has_renewed_is_told_no_longer() -> None:
    clock = Clock()
    budgets = Budgets(clock)
    budgets.note(Budget("core", 5000, 0, 2000))
    clock.now = 2000.0
    assert told(budgets) == {}


def test_a_resource_that_an_answer_made_up_is_no_label() -> None:
    budgets = Budgets(Clock())
    budgets.note(Budget("zoo/otter", 60, 1, 2000))
    assert told(budgets) == {'{resource="other"}': 1.0}


def test_what_is_held_is_bounded_and_the_newest_is_part_of_it() -> None:
    budgets = Budgets(Clock())
    for number in range(MOST_HELD * 2):
        budgets.note(Budget("core", 5000, 5000 - number, 2000 + number))
    assert len(budgets._held) <= MOST_HELD
    assert told(budgets) == {'{resource="core"}': 5000.0 - (MOST_HELD * 2 - 1)}


def test_headers_that_are_no_numbers_name_no_budget() -> None:
    names = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
    assert answered(Half.READS, 200, dict.fromkeys(names, "many")) == Heard(Half.READS, 200)
    assert answered(Half.READS, 200, dict(zip(names, ("60", "59", "9"), strict=True))) == Heard(
        Half.READS, 200, Budget("core", 60, 59, 9)
    )
