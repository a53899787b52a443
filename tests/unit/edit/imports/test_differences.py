"""How an imported file differs between a head and the base, and what that makes of the test's verdict."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, CommitSha, Identity, IdentityCheck, ImportChange, ImportDifference, TestPath, blob_sha
from bot.edit.identity import TwoVersions, paths_by_blob
from bot.edit.imports.differences import MOST_NAMED, difference, with_imports
from bot.edit.ports import TreeEntry

PATH, HEAD, ELSEWHERE = TestPath("tests/_common.py"), CommitSha("a" * 40), TestPath("tests/b/_common.py")
CALL = b'register_cuda_ci(est_time=60, suite="s")\nx = 1\n'
CHECK = IdentityCheck(TestPath("tests/test_a.py"), HEAD, Identity.IDENTICAL, BlobSha("1" * 40), BlobSha("1" * 40))


def entry(name: str, mode: str = "100644") -> TreeEntry:
    return TreeEntry(BlobSha(name * 40), mode)


@pytest.mark.parametrize(
    ("head", "base", "change"),
    [
        pytest.param(entry("1"), entry("1"), None, id="equal"),
        pytest.param(entry("1"), entry("1", "100755"), None, id="an-execute-bit"),
        pytest.param(None, None, None, id="on-neither-side"),
        pytest.param(entry("1", "120000"), entry("1", "120000"), None, id="a-link-to-the-same"),
        pytest.param(entry("1", "120000"), entry("2", "120000"), ImportChange.CHANGED, id="a-link-to-another"),
        pytest.param(entry("1", "120000"), entry("1"), ImportChange.CHANGED, id="a-link-that-became-a-file"),
        pytest.param(entry("1"), entry("2"), ImportChange.CHANGED, id="changed"),
        pytest.param(None, entry("2"), ImportChange.ADDED, id="added"),
        pytest.param(entry("1"), None, ImportChange.GONE, id="gone"),
    ],
)
def test_two_versions_of_an_imported_file_give_one_word(
    head: TreeEntry | None, base: TreeEntry | None, change: ImportChange | None
) -> None:
    found = difference(TwoVersions(PATH, HEAD, head, base), {})
    assert found == (ImportDifference(PATH, change) if change else None)


def test_a_file_that_went_elsewhere_is_moved_and_its_new_place_named() -> None:
    found = difference(TwoVersions(PATH, HEAD, entry("1"), None), paths_by_blob({ELSEWHERE: entry("1")}))
    assert found == ImportDifference(PATH, ImportChange.MOVED, ELSEWHERE)
    assert str(found) == "tests/_common.py moved to tests/b/_common.py"


def test_an_empty_file_is_gone_and_not_moved_to_another_empty_file() -> None:
    empty = TreeEntry(blob_sha(b""), "100644")
    found = difference(TwoVersions(PATH, HEAD, empty, None), paths_by_blob({ELSEWHERE: empty}))
    assert found == ImportDifference(PATH, ImportChange.GONE)


def test_an_imported_test_may_differ_in_its_own_registration() -> None:
    raised = CALL.replace(b"60", b"700")
    assert difference(TwoVersions(PATH, HEAD, entry("1"), entry("2"), CALL, raised), {}) is None
    other = difference(TwoVersions(PATH, HEAD, entry("1"), entry("2"), CALL, raised + b"y\n"), {})
    assert other == ImportDifference(PATH, ImportChange.CHANGED)


def test_one_difference_makes_the_verdict_and_is_named() -> None:
    changed = ImportDifference(PATH, ImportChange.CHANGED)
    found = with_imports(CHECK, [None, changed, None])
    assert (found.verdict, found.imports, found.verdict.usable) == (Identity.IMPORT_CHANGED, (changed,), False)
    assert (found.blob_at_head, found.blob_at_base) == (CHECK.blob_at_head, CHECK.blob_at_base)


def test_without_a_difference_the_verdict_stays() -> None:
    assert with_imports(CHECK, [None, None]) == CHECK


def test_the_test_file_itself_is_said_first() -> None:
    own = IdentityCheck(CHECK.path, HEAD, Identity.CHANGED, None, None)
    assert with_imports(own, [ImportDifference(PATH, ImportChange.CHANGED)]) == own


def test_so_many_differences_are_kept() -> None:
    many = [ImportDifference(TestPath(f"a{n}.py"), ImportChange.GONE) for n in range(MOST_NAMED + 3)]
    assert with_imports(CHECK, many).imports == tuple(many[:MOST_NAMED])
