"""`/recalibrate matrix`: how two tests that sweep the same configurations could share them out."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.contract import POLICY, Command, Mistake, MistakeReason, Needs, Option, Word

NAME = "matrix"
USAGE = "matrix FILE FILE"
SUMMARY = (
    "Every way to share out the configurations that two tests both sweep, cheapest first: seconds, literals, what is "
    "saved a night, and what has to hold. Edits nothing."
)
OPTIONS: tuple[Option, ...] = (POLICY,)
NEEDS = Needs.READER
EXAMPLES: tuple[tuple[str, Command], ...] = (
    (
        "matrix tests/e2e/test_otter.py tests/e2e/test_heron.py",
        Command(NAME, paths=("tests/e2e/test_otter.py", "tests/e2e/test_heron.py")),
    ),
    (
        "matrix ./a_test.py `b_test.py` --policy strict",
        Command(NAME, paths=("a_test.py", "b_test.py"), policy="strict"),
    ),
)
_FILES = 2


def read(words: Sequence[Word], end: int) -> Command | Mistake:
    """Two paths, relative to the repository's root."""
    if len(words) < _FILES:
        return Mistake(MistakeReason.ARGUMENT_MISSING, "", end, "the paths of two test files")
    if len(words) > _FILES:
        return Mistake(MistakeReason.ARGUMENT_UNWANTED, words[_FILES].text, words[_FILES].column)
    return Command(NAME, paths=tuple(word.text.removeprefix("./") for word in words))
