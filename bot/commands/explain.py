"""`/recalibrate explain`: everything behind one test's number."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import POLICY, SUITE, Command, Mistake, MistakeReason, Needs, Option, Word

NAME = "explain"
USAGE = "explain PATH"
SUMMARY = (
    "Every sample and every rejection behind one test's number, with links to the log lines, and why the number was "
    "or was not changed."
)
OPTIONS: tuple[Option, ...] = (SUITE, POLICY)
NEEDS = Needs.READER
EXAMPLES: tuple[tuple[str, Command], ...] = (
    ("explain tests/e2e/test_otter.py", Command(NAME, path="tests/e2e/test_otter.py")),
    ("explain `./tests/test_a.py` --suite stage-a", Command(NAME, path="tests/test_a.py", suite="stage-a")),
)


def read(words: Sequence[Word], end: int) -> Command | Mistake:
    """One path, relative to the repository's root."""
    if not words:
        return Mistake(MistakeReason.ARGUMENT_MISSING, "", end, "the path of a test file")
    if len(words) > 1:
        return Mistake(MistakeReason.ARGUMENT_UNWANTED, words[1].text, words[1].column)
    return Command(NAME, path=words[0].text.removeprefix("./"))
