"""`/recalibrate rebuild`: the rolling branch back on its base, a person's commits saved first."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import Command, Mistake, Needs, Option, Word, alone

NAME = "rebuild"
USAGE = "rebuild"
SUMMARY = (
    "Puts the App's branch back on the base after a person's commits. Their tip is saved first, as "
    "`recalibrate/saved/<sha7>`, in the same step; where it cannot be saved nothing is moved and the commit is named."
)
OPTIONS: tuple[Option, ...] = ()
NEEDS = Needs.WRITER
EXAMPLES: tuple[tuple[str, Command], ...] = (("rebuild", Command(NAME)),)


def read(words: Sequence[Word], end: int) -> Command | Mistake:  # noqa: ARG001 - the contract's signature
    """It takes no words."""
    return alone(NAME, words)
