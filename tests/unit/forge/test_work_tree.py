"""Promises of writing into a checkout: all or nothing, never through a link, never over another content."""

from pathlib import Path

import pytest

from bot.domain import FileEdit, TestPath
from bot.errors import UserError
from bot.forge.work_tree import check_edits, write_edits


def edit(path: str = "tests/test_a.py", before: bytes = b"1\r\n", after: bytes = b"2\r\n") -> FileEdit:
    return FileEdit(TestPath(path), before, after, ())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / "tests" / name).write_bytes(b"1\r\n")
    return tmp_path


def test_bytes_are_replaced_and_the_mode_stays(tree: Path) -> None:
    (tree / "tests/test_a.py").chmod(0o755)
    write_edits(tree, [edit()])
    assert (tree / "tests/test_a.py").read_bytes() == b"2\r\n"
    assert (tree / "tests/test_a.py").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in (tree / "tests").iterdir()) == ["test_a.py", "test_b.py"]


def test_writing_twice_is_writing_once(tree: Path) -> None:
    write_edits(tree, [edit()])
    write_edits(tree, [edit()])
    assert (tree / "tests/test_a.py").read_bytes() == b"2\r\n"


def test_checking_refuses_what_writing_would_and_writes_nothing(tree: Path) -> None:
    check_edits(tree, [edit()])
    assert (tree / "tests/test_a.py").read_bytes() == b"1\r\n"
    with pytest.raises(UserError, match="cannot be read"):
        check_edits(tree, [edit(), edit("tests/missing.py")])


@pytest.mark.parametrize("path", ["tests/missing.py", "tests", "../outside.py", "tests/../../x.py", "/etc/passwd", ""])
def test_what_cannot_be_written_is_refused_and_nothing_else_is_written(tree: Path, path: str) -> None:
    (tree.parent / "outside.py").write_bytes(b"1\r\n")
    with pytest.raises(UserError):
        write_edits(tree, [edit(), edit(path)])
    assert (tree / "tests/test_a.py").read_bytes() == b"1\r\n"


def test_a_changed_file_is_refused_with_the_remedy(tree: Path) -> None:
    (tree / "tests/test_b.py").write_bytes(b"1\n")
    with pytest.raises(UserError, match=r"changes\.patch"):
        write_edits(tree, [edit(), edit("tests/test_b.py")])
    assert (tree / "tests/test_a.py").read_bytes() == b"1\r\n"


@pytest.mark.parametrize("linked", ["tests/link.py", "linked/test_a.py"])
def test_a_link_is_never_followed(tree: Path, linked: str) -> None:
    (tree / "tests/link.py").symlink_to(tree / "tests/test_a.py")
    (tree / "linked").symlink_to(tree / "tests")
    with pytest.raises(UserError, match="symbolic link"):
        write_edits(tree, [edit(linked)])
    assert (tree / "tests/test_a.py").read_bytes() == b"1\r\n"
