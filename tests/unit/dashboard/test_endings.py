"""Tones are of outcomes that exist, and each outcome has one."""

from __future__ import annotations

from bot.dashboard.endings import BAD, GOOD, WARN, tone
from bot.tasks.outcomes import OutcomeName


def test_every_toned_name_is_an_outcomes_and_has_one_tone() -> None:
    assert {name.value for name in OutcomeName} >= GOOD | WARN | BAD
    assert len(GOOD | WARN | BAD) == len(GOOD) + len(WARN) + len(BAD)


def test_an_unknown_name_is_quiet() -> None:
    assert [tone(name) for name in ("published", "run_gone", "refused", "of a later version")] == [
        "good",
        "warn",
        "bad",
        "quiet",
    ]
