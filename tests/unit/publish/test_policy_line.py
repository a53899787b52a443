from __future__ import annotations

from typing import get_args

from bot.domain import PolicyStamp
from bot.publish.policy_line import GUARDS_SAID, policy_line
from bot.repo_config.estimation import GuardName

PARAMETERS: dict[str, str | int | float] = {
    "method": "max x 1.25",
    "nights_raise": 1,
    "nights_lower": 2,
    "guards": "human_value, nights, drop",
    "timeout_floor_s": 1800,
    "timeout_factor": 1.25,
    "material": "on",
    "window_nights": 14,
    "window_days": 21,
}


def test_a_policy_is_told_by_what_it_does() -> None:
    assert policy_line(PolicyStamp("default", PARAMETERS)) == (
        "`default`: `max x 1.25`, looking back at most 14 nights and 21 days; a raise needs 1 night, a lower 2; "
        "a test is stopped after `max(1800, int(est_time * 1.25))` s; only what matters to its suite is changed; "
        "a person's newer value stays; a large drop waits for more nights"
    )


def test_nights_that_give_the_value_or_bind_are_said_where_they_are_fewer_than_the_window() -> None:
    recent = {**PARAMETERS, "guards": "drop, limit", "newest_nights": 2, "binding_nights": 3}
    assert policy_line(PolicyStamp("default", recent)) == (
        "`default`: `max x 1.25` of a test's newest 2 nights, looking back at most 14 nights and 21 days; "
        "a raise needs 1 night, a lower 2; a test is stopped after `max(1800, int(est_time * 1.25))` s; "
        "only what matters to its suite is changed; a large drop waits for more nights; "
        "no limit below a known pass of the newest 3 nights"
    )


def test_every_guard_rail_that_can_be_configured_is_said() -> None:
    assert set(GUARDS_SAID) == set(get_args(GuardName))


def test_a_policy_without_parameters_is_its_name() -> None:
    assert policy_line(PolicyStamp("strict")) == "`strict`"
    assert policy_line(PolicyStamp("strict", {"guards": ""})) == "`strict`"


def test_what_nobody_has_words_for_is_shown_as_it_is_named_and_inert() -> None:
    strange = PolicyStamp("own", {"guards": "moon", "phase": "full `|` <b>"})
    assert policy_line(strange) == r"`own`: `moon`; `phase=full \x60\x7c\x60 \x3cb\x3e`"
