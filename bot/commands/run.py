"""`/recalibrate run`: evaluate exactly the runs that are named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.commands.contract import (
    DRY_RUN,
    POLICY,
    SUITE,
    TEST,
    Command,
    Mistake,
    MistakeReason,
    Needs,
    Option,
    RunReference,
    Word,
)
from bot.domain import RunId

NAME = "run"
USAGE = "run ID-or-URL [more]"
SUMMARY = (
    "Uses exactly these runs of this repository, by id or address. Runs that are no configured nightlies only report, "
    "and the answer says so."
)
OPTIONS: tuple[Option, ...] = (SUITE, TEST, POLICY, DRY_RUN)
NEEDS = Needs.WRITER
EXAMPLES: tuple[tuple[str, Command], ...] = (
    ("run 4711", Command(NAME, runs=(RunReference(RunId(4711)),))),
    (
        "run https://github.com/octo/tests/actions/runs/4711/attempts/2 4712 --dry-run",
        Command(
            NAME,
            runs=(RunReference(RunId(4711), "https://github.com", "octo/tests"), RunReference(RunId(4712))),
            dry_run=True,
        ),
    ),
)
MAX_RUNS = 20

_ID = re.compile(r"[1-9][0-9]{0,17}")
_URL = re.compile(
    r"(https?://[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?)/([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})"
    r"/actions/runs/([1-9][0-9]{0,17})(?:[/?#]\S{0,200})?"
)


def read(words: Sequence[Word], end: int) -> Command | Mistake:
    """One run or more; a run named twice counts once."""
    if not words:
        return Mistake(MistakeReason.ARGUMENT_MISSING, "", end, "the id or the address of a run")
    if len(words) > MAX_RUNS:
        return Mistake(MistakeReason.TOO_LONG, words[MAX_RUNS].text, words[MAX_RUNS].column, f"{MAX_RUNS} runs at most")
    found: dict[RunId, RunReference] = {}
    for word in words:
        reference = _reference(word.text)
        if reference is None:
            return Mistake(MistakeReason.NOT_A_RUN, word.text, word.column)
        found.setdefault(reference.run_id, reference)
    return Command(NAME, runs=tuple(found.values()))


def _reference(text: str) -> RunReference | None:
    if _ID.fullmatch(text):
        return RunReference(RunId(int(text)))
    found = _URL.fullmatch(text)
    return RunReference(RunId(int(found[3])), found[1], found[2]) if found else None
