"""Promises of the name of a tree: it is the one git gives, for any files."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, TestPath, TreeSha
from bot.publish.tree_name import Tree, tree_name


@dataclass(frozen=True)
class File:
    blob: BlobSha
    mode: str = "100644"


ONE, TWO = (BlobSha(digit * 40) for digit in "1a")
parts = st.sampled_from(["a", "a.b", "a-", "a0", "b", "é", "A", "test_otter.py", "a\nb", ' "'])
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
entries = st.builds(File, st.sampled_from([ONE, TWO]), st.sampled_from(["100644", "100755", "120000", "160000"]))


def git(repository: Path, *arguments: str, given: str = "") -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=given.encode(), check=True, capture_output=True).stdout.decode().strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("trees")
    git(made, "init", "-q")
    return made


def named_by_git(repository: Path, files: Tree) -> TreeSha:
    """What git makes of an index with these entries; that the blobs are not there is no matter."""
    git(repository, "read-tree", "--empty")
    lines = [f"{entry.mode} {entry.blob}\t{path}\0" for path, entry in files.items()]
    git(repository, "update-index", "-z", "--index-info", given="".join(lines))
    return TreeSha(git(repository, "write-tree", "--missing-ok"))


def without_clashes(files: dict[str, File]) -> dict[TestPath, File]:
    """No path is a file and a folder at once."""
    folders = {path[:at] for path in files for at, sign in enumerate(path) if sign == "/"}
    return {TestPath(path): entry for path, entry in files.items() if path not in folders}


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(paths, entries, max_size=12).map(without_clashes))
def test_a_tree_has_the_name_that_git_gives_it(repository: Path, files: dict[TestPath, File]) -> None:
    assert tree_name(files) == named_by_git(repository, files)


def test_a_folder_is_sorted_as_if_its_name_ended_in_a_slash(repository: Path) -> None:
    files = {TestPath(path): File(ONE) for path in ("a/x", "a.b", "a0", "a-b/y")}
    assert tree_name(files) == named_by_git(repository, files)


def test_a_very_deep_folder_has_its_name(repository: Path) -> None:
    files = {TestPath("d/" * 1100 + "x"): File(ONE)}
    assert tree_name(files) == named_by_git(repository, files)


@pytest.mark.parametrize(
    "other",
    [{"a/x": File(TWO)}, {"a/x": File(ONE, "100755")}, {"a/y": File(ONE)}, {"a/x": File(ONE), "b": File(ONE)}, {}],
    ids=["bytes", "mode", "path", "another file", "nothing"],
)
def test_any_difference_gives_another_name(other: dict[TestPath, File]) -> None:
    assert tree_name(other) != tree_name({TestPath("a/x"): File(ONE)})
