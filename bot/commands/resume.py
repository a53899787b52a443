"""`/recalibrate resume`: start the rolling pull request of this repository again."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import Command, Mistake, Needs, Option, Word, alone

NAME = "resume"
USAGE = "resume"
SUMMARY = "Starts the App's pull request again. The next night, or a comment, brings it up to date."
OPTIONS: tuple[Option, ...] = ()
NEEDS = Needs.WRITER
EXAMPLES: tuple[tuple[str, Command], ...] = (("resume", Command(NAME)),)


def read(words: Sequence[Word], end: int) -> Command | Mistake:  # noqa: ARG001 - the contract's signature
    """It takes no words."""
    return alone(NAME, words)
