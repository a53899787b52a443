"""Every way a command can end has a sentence of its own, and details are shown inert."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.saying import also, sentence, waiting

OF_OTHER_TASKS = {
    OutcomeName.NOT_A_NIGHTLY,
    OutcomeName.CHECKED,
    OutcomeName.NOTHING_TO_CHECK,
    OutcomeName.CHECKS_OFF,
    OutcomeName.SWEPT,
    OutcomeName.TRIMMED,
    OutcomeName.NOTHING_TO_DO,
    OutcomeName.INSTALLATION_NOTED,
}
WORDED_ELSEWHERE = {OutcomeName.ANSWERED, OutcomeName.SWITCHED, OutcomeName.MISUNDERSTOOD, OutcomeName.PARKED}


def test_every_ending_of_a_command_has_its_own_sentence() -> None:
    said = {name: sentence(Ending(name)) for name in OutcomeName if name not in OF_OTHER_TASKS | WORDED_ELSEWHERE}
    assert len(set(said.values())) == len(said)
    bare = [name for name, text in said.items() if text.lower() == f"{name.value.replace('_', ' ')}.\n"]
    assert bare == []


def test_an_address_is_a_link_with_its_number_and_other_text_inert() -> None:
    link = sentence(Ending(OutcomeName.PUBLISHED, "https://github.com/octo/tests/pull/12"))
    assert link.endswith(": [#12](https://github.com/octo/tests/pull/12).\n")
    assert "@all" not in sentence(Ending(OutcomeName.REFUSED, "ask @all <b>"))
    assert "secret" not in sentence(Ending(OutcomeName.INTERNAL_ERROR, "KeyError: secret"))


def test_what_was_saved_is_named() -> None:
    said = sentence(Ending(OutcomeName.PUBLISHED, "", "recalibrate/saved/abc1234"))
    assert "saved as `recalibrate/saved/abc1234`" in said


def test_a_command_that_waits_says_until_when_and_why_inertly() -> None:
    said = waiting(Ending(OutcomeName.PARKED, "step admit: 502 of @all"), datetime(2026, 8, 2, 15, 5, tzinfo=UTC))
    assert said.startswith("Waiting for GitHub until 2026-08-02 15:05 UTC: ")
    assert "@all" not in said


def test_commands_that_were_not_read_are_counted() -> None:
    assert also(0) == ""
    assert "1 more in this one was not" in also(1)
    assert "2 more in this one were not" in also(2)
