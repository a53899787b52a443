"""What a report says of the files that tests import or launch: which were compared, which differ, what was not read."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import RejectionReason, Status, TestPath, UnreadImport
from bot.publish.body_summary import short
from bot.publish.budget import Block
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, plural, prose
from bot.publish.wording import IMPORT_REFUSAL, words

_FILES_NAMED = 10
_REFUSED_NAMED = 5


def imports(known: Lookup) -> tuple[Block, ...]:
    """The part of the identity check that is about imports, for the changed files; nothing where no file counts."""
    tests = dict.fromkeys(change.registration.key.path for change in known.changes)
    found = [one for one in dict.fromkeys(map(known.reached_by, tests)) if one]
    if not found:
        return ()
    compared = len({file for one in found for file in one.files})
    head = (
        f"What these tests import or launch (`identity.imports`): {plural(compared, 'file')}, the same at every commit "
        "whose passes are used.\n\n<details><summary>By test</summary>\n\n"
    )
    listed = tuple(f"- {code(one.path)}: {_named(one.files)}.{_not_followed(one.refused)}\n" for one in found)
    return (Block(head, listed, "\n</details>\n\n"), *_unused(known, tests))


def said_of(known: Lookup, path: TestPath) -> tuple[Block, ...]:
    """One sentence or two about one test, for an explanation."""
    found = known.reached_by(path)
    if found is None:
        return ()
    said = f"Imports or launches, of the files that count: {_named(found.files)}.{_not_followed(found.refused)}"
    return (Block(f"{said}\n\n"),)


def _named(files: Sequence[TestPath]) -> str:
    left_out = len(files) - _FILES_NAMED
    shown = ", ".join(map(code, files[:_FILES_NAMED])) or "none"
    return shown + (f" and {left_out} more" if left_out > 0 else "")


def _not_followed(refused: Sequence[UnreadImport]) -> str:
    if not refused:
        return ""
    left_out = len(refused) - _REFUSED_NAMED
    said = "; ".join(map(_refusal, refused[:_REFUSED_NAMED])) + (f"; and {left_out} more" if left_out > 0 else "")
    return f" Not followed: {said}."


def _refusal(one: UnreadImport) -> str:
    detail = f" ({prose(one.detail)})" if one.detail else ""
    return f"{code(one.path)} {words(IMPORT_REFUSAL, one.reason)}{detail}"


def _unused(known: Lookup, tests: dict[TestPath, None]) -> tuple[Block, ...]:
    """The passes of changed files that another import kept from counting, one line a test and commit."""
    kept_out = [one for one in known.rejections.values() if one.reason is RejectionReason.IMPORT_CHANGED]
    kept_out = [one for one in kept_out if one.row.path in tests and one.row.status is Status.PASSED]
    said = {f"- {code(one.row.path)} at {short(one.row.head_sha)}: {prose(one.detail)}.\n": None for one in kept_out}
    if not said:
        return ()
    return (Block("Passes of these tests that are not used, for such a file is another one:\n\n", tuple(said), "\n"),)
