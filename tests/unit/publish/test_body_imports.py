"""What report, table, explanation, check run and store say of files that a test imports or launches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import (
    Evaluation,
    Identity,
    IdentityCheck,
    ImportChange,
    ImportDifference,
    ImportRefusal,
    Imports,
    RejectionReason,
    TestPath,
    UnreadImport,
)
from bot.publish.body import report
from bot.publish.body_imports import imports
from bot.publish.budget import BODY_LIMIT, assemble
from bot.publish.check_notes import NightlyCheck, nightly_notes
from bot.publish.evidence_csv import evidence_csv
from bot.publish.explanation import LinePlaces, Wanted, explanation
from bot.publish.links import Links
from bot.publish.lookup import lookup
from bot.publish.wording import IMPORT_REFUSAL
from tests.unit.publish.evaluations import HEAD, blob, rejection, scheduled, small

OTTER, WOLF = TestPath("tests/zoo/test_otter.py"), TestPath("tests/zoo/test_wolf.py")
HELPER, SCRIPT = TestPath("tests/zoo/_common.py"), TestPath("scripts/run.sh")
CHANGED = ImportDifference(HELPER, ImportChange.CHANGED)


def with_imports(*differences: ImportDifference, refused: tuple[UnreadImport, ...] = ()) -> Evaluation:
    """The small evaluation where imports count; the wolf's pass has these differences, and so has another otter's."""
    given, check = small(), IdentityCheck(WOLF, HEAD, Identity.IMPORT_CHANGED, blob("c"), blob("c"), None, differences)
    detail = "; ".join(map(str, differences))
    others = [
        rejection(
            scheduled(path, plan_index=n, elapsed_s=90),
            RejectionReason.IMPORT_CHANGED,
            identity=Identity.IMPORT_CHANGED,
            detail=detail,
        )
        for path, n in ((WOLF, 3), (OTTER, 8))
    ]
    return replace(
        given,
        imports=(Imports(OTTER, (SCRIPT, HELPER), refused), Imports(WOLF, (HELPER,))),
        identities=(*given.identities[:1], check),
        rejections=(*others, *given.rejections[1:]),
    )


def block(given: Evaluation) -> str:
    return assemble(imports(lookup(given)), BODY_LIMIT)


def test_off_says_nothing() -> None:
    assert imports(lookup(small())) == ()


def test_the_identity_section_names_what_was_compared_and_which_passes_it_cost() -> None:
    text = block(with_imports(CHANGED))
    assert "(`identity.imports`): 2 files, the same at every commit whose passes are used" in text
    assert f"- `{OTTER}`: `{SCRIPT}`, `{HELPER}`.\n" in text
    assert f"- `{OTTER}` at {HEAD[:7]}: `{HELPER}` changed.\n" in text.replace(f"`{HEAD[:7]}`", HEAD[:7])
    assert f"- `{WOLF}`" not in text  # its literal does not change
    assert text in report(with_imports(CHANGED), Links())


def test_the_table_names_the_files_behind_the_reason() -> None:
    moved = ImportDifference(SCRIPT, ImportChange.MOVED, TestPath("scripts/a;b.sh"))
    rows = evidence_csv(with_imports(CHANGED, moved)).decode().split("\n")
    (row,) = [one for one in rows if f",{WOLF}," in one]
    note = f"unused:import_changed; import:{HELPER} changed; import:{SCRIPT} moved to scripts/a\\x3bb.sh"
    assert f",{note}," in row
    assert ",import_changed," in row


def test_an_explanation_names_what_a_test_reaches_and_what_differs() -> None:
    text = explanation(with_imports(CHANGED), Wanted(WOLF), Links(), LinePlaces())
    assert f"of the files that count: `{HELPER}`.\n" in text
    assert f"no: a file that the test imports or launches is another one: `{HELPER}` changed" in text
    assert "same file, another import" in text


def test_an_annotation_names_the_import_for_the_test_is_the_same() -> None:
    given = with_imports(CHANGED)
    notes = nightly_notes(NightlyCheck(given, given.runs[0].run)).annotations
    (note,) = [one for one in notes if one.path == WOLF]
    assert note.message.endswith(f"imports or launches is another one: {HELPER} changed.")


@pytest.mark.parametrize("reason", list(ImportRefusal))
def test_what_was_not_followed_is_said_in_words(reason: ImportRefusal) -> None:
    text = block(with_imports(refused=(UnreadImport(HELPER, reason, "line 3"),)))
    assert f". Not followed: `{HELPER}` {IMPORT_REFUSAL[reason]} (line 3).\n" in text


def test_hostile_names_stay_in_their_code_spans_and_long_lists_are_counted() -> None:
    files = tuple(TestPath(f"a`{n}|@everyone<b>.py") for n in range(40))
    refused = tuple(UnreadImport(path, ImportRefusal.TOO_MANY, "`|\n# x @all") for path in files)
    given = replace(with_imports(refused=refused), imports=(Imports(OTTER, files, refused),))
    text = block(given)
    assert "and 30 more" in text
    assert "and 35 more" in text
    assert "@everyone" not in text
    assert "<b>" not in text
    assert "\n# x" not in text
