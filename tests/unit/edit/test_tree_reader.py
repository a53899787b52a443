"""A whole tree: which files are read, each blob once, and what is said of the others."""

from __future__ import annotations

from bot.domain import BlobSha, EditRefusal, TestPath
from bot.edit.ports import TreeEntry
from bot.edit.tree_reader import Known, in_scope, read_all, refused_calls, unread

CALL = b"register_cuda_ci(60, 's')\n"
FILES = {
    TestPath("tests/test_b.py"): TreeEntry(BlobSha("1"), "100644"),
    TestPath("tests/test_a.py"): TreeEntry(BlobSha("1"), "100755"),
    TestPath("tests/test_link.py"): TreeEntry(BlobSha("2"), "120000"),
    TestPath("tests/test_plain.py"): TreeEntry(BlobSha("3"), "100644"),
    TestPath("tests/helper.py"): TreeEntry(BlobSha("4"), "100644"),
    TestPath(".github/test_x.py"): TreeEntry(BlobSha("5"), "100644"),
}
CONTENTS = {BlobSha("1"): CALL, BlobSha("3"): b"x = 1\n"}


def test_globs_choose_the_files_and_github_s_own_folder_is_never_among_them() -> None:
    chosen = in_scope(FILES, ("**/test_*.py",))
    assert list(chosen) == ["tests/test_a.py", "tests/test_b.py", "tests/test_link.py", "tests/test_plain.py"]


def test_each_path_has_its_own_keys_and_a_link_is_refused() -> None:
    found = read_all(in_scope(FILES, ("**/test_*.py",)), CONTENTS, {})
    assert [[r.key.path for r in source.registrations] for source in found] == [
        ["tests/test_a.py"],
        ["tests/test_b.py"],
        [],
    ]
    assert [(call.path, call.reason, call.detail) for call in refused_calls(found)] == [
        ("tests/test_link.py", EditRefusal.NOT_A_REGULAR_FILE, "a symbolic link")
    ]


def test_what_is_known_needs_no_contents_again() -> None:
    files = in_scope(FILES, ("**/test_*.py",))
    known: Known = {}
    assert unread(files, known) == ("1", "3")
    first = read_all(files, CONTENTS, known)
    assert unread(files, known) == ()
    assert read_all(files, {}, known) == first
