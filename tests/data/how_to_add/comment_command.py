"""`/recalibrate toy`: says the table of commands, like help."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import Command, Mistake, Needs, Option, Word, alone

NAME = "toy"
USAGE = "toy"
SUMMARY = "A toy."
OPTIONS: tuple[Option, ...] = ()
NEEDS = Needs.READER
EXAMPLES: tuple[tuple[str, Command], ...] = (("toy", Command(NAME)),)


def read(words: Sequence[Word], end: int) -> Command | Mistake:
    """It takes no words."""
    return alone(NAME, words)
