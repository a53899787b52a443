"""`/recalibrate help`: what can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import Command, Mistake, Needs, Option, Word, alone

NAME = "help"
USAGE = "help"
SUMMARY = "This table."
OPTIONS: tuple[Option, ...] = ()
NEEDS = Needs.READER
EXAMPLES: tuple[tuple[str, Command], ...] = (("help", Command(NAME)),)


def read(words: Sequence[Word], end: int) -> Command | Mistake:  # noqa: ARG001 - the contract's signature
    """It takes no words."""
    return alone(NAME, words)
