"""`/recalibrate`: evaluate here. What "here" means depends on where the comment stands."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import DRY_RUN, POLICY, SUITE, TEST, Command, Mistake, Needs, Option, Word, alone

NAME = "evaluate"
USAGE = ""
SUMMARY = (
    "On the App's own pull request: evaluates again, with the newest evidence and the present base, and updates the "
    "branch. On another pull request: compares the registrations it touches with the measurements, and suggests "
    "values on lines of its diff; it never pushes there. On an issue: evaluates the whole repository and opens or "
    "updates the App's pull request."
)
OPTIONS: tuple[Option, ...] = (SUITE, TEST, POLICY, DRY_RUN)
NEEDS = Needs.WRITER
EXAMPLES: tuple[tuple[str, Command], ...] = (
    ("", Command(NAME)),
    ("--dry-run --suite 'stage-c-*'", Command(NAME, suite="stage-c-*", dry_run=True)),
    ("--policy=strict --test tests/e2e/**", Command(NAME, policy="strict", test="tests/e2e/**")),
)


def read(words: Sequence[Word], end: int) -> Command | Mistake:  # noqa: ARG001 - the contract's signature
    """It takes options only."""
    return alone(NAME, words)
