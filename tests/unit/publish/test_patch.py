"""The promise of the patch: `git apply` makes of every before exactly its after."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain import FileEdit, TestPath
from bot.publish.patch import patch


def applied(folder: Path, edits: list[FileEdit]) -> dict[str, bytes]:
    for edit in edits:
        target = folder / edit.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(edit.before)
    subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
    subprocess.run(
        ["git", "-C", folder, "apply", "--whitespace=nowarn", "-"], input=patch(edits), check=True, capture_output=True
    )
    return {edit.path: (folder / edit.path).read_bytes() for edit in edits}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("tests/test_a.py", b"a\nb\nc\n", b"a\nB\nc\n"),
        ("tests/no newline.py", b"a\nb", b"a\nB"),
        ("tests/crlf.py", b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
        ("tests/latin1.py", b"# caf\xe9\nx = 1\n", b"# caf\xe9\nx = 2\n"),
        ("tests/bom.py", b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
        ("tests/\u6c34\u737a.py", b"x = 1\n", b"x = 2\n"),
        ('tests/quote".py', b"x = 1\n", b"x = 2\n"),
        ("tests/far.py", b"a\n" + b"x\n" * 50 + b"b\n", b"A\n" + b"x\n" * 50 + b"B\n"),
        ("tests/cr.py", b"a\rb\nc\n", b"a\rB\nc\n"),
    ],
)
def test_git_apply_gives_the_after_bytes(tmp_path: Path, path: str, before: bytes, after: bytes) -> None:
    edit = FileEdit(TestPath(path), before, after, ())
    assert applied(tmp_path, [edit]) == {path: after}


def test_several_files_are_one_patch_in_the_order_of_their_paths(tmp_path: Path) -> None:
    edits = [FileEdit(TestPath(f"t/{name}.py"), b"x = 1\n", b"x = 2\n", ()) for name in "cab"]
    assert patch(edits) == patch(edits[::-1])
    assert set(applied(tmp_path, edits).values()) == {b"x = 2\n"}
    assert patch([]) == b""


@settings(deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([b"a", b"b\r", b"c\t", b"", b"\xff"]), min_size=1, max_size=12), st.data())
def test_any_change_of_a_line_survives(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    end = data.draw(st.sampled_from([b"", b"\n"]))
    changed = list(lines)
    changed[data.draw(st.integers(0, len(lines) - 1))] += b"!"
    edit = FileEdit(TestPath("t.py"), b"\n".join(lines) + b"x" + end, b"\n".join(changed) + b"x" + end, ())
    assert applied(tmp_path_factory.mktemp("patch"), [edit]) == {"t.py": edit.after}
