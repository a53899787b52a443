"""`/recalibrate pause`: stop the rolling pull request of this repository."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import Command, Mistake, Needs, Option, Word, alone

NAME = "pause"
USAGE = "pause"
SUMMARY = (
    "Stops the App's pull request for this repository: nights are still measured, nothing is proposed. The pull "
    "request says so."
)
OPTIONS: tuple[Option, ...] = ()
NEEDS = Needs.WRITER
EXAMPLES: tuple[tuple[str, Command], ...] = (("pause", Command(NAME)),)


def read(words: Sequence[Word], end: int) -> Command | Mistake:  # noqa: ARG001 - the contract's signature
    """It takes no words."""
    return alone(NAME, words)
