"""The bare repository itself: bytes and names survive, reference moves are all or nothing, odd names are read."""

from __future__ import annotations

import gc
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sandbox.git_diff import parse_diff
from bot.sandbox.git_reader import GitError
from bot.sandbox.git_store import GitStore
from bot.sandbox.git_values import EMPTY_TREE, ZERO, Entry, Person, RefChange

WHO = Person("Mona", "mona@example.invalid", datetime(2026, 8, 1, 12, 0, tzinfo=UTC))
names = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="/"), min_size=1, max_size=12
).filter(lambda name: name.lower().strip(" .") not in ("", "git") and "git" not in name.lower() and "~" not in name)


@pytest.fixture
def store(tmp_path: Path) -> GitStore:
    return GitStore.create(tmp_path / "a.git")


def tree_of(store: GitStore, files: dict[str, bytes]) -> str:
    return store.write_tree(
        None, [Entry(path, "100644", "blob", store.write_blob(data)) for path, data in files.items()]
    )


def commit_of(store: GitStore, files: dict[str, bytes], *parents: str) -> str:
    return store.write_commit(tree_of(store, files), parents, "message\n\nbody", (WHO, WHO))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.dictionaries(names.map(lambda name: f"d/{name}"), st.binary(max_size=60), min_size=1, max_size=3))
def test_names_and_bytes_survive_a_tree(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as where:
        store = GitStore.create(Path(where) / "a.git")
        entries = store.entries(tree_of(store, files), "-r")
        found = {entry.path: store.blob(str(entry.sha)) for entry in entries}
        store.close()
    assert found == files


def test_a_commit_is_read_as_it_was_written(store: GitStore) -> None:
    first = commit_of(store, {"a": b"1"})
    second = store.commit(commit_of(store, {"a": b"2"}, first))
    assert (second.parents, second.message, second.author, second.committer) == ((first,), "message\n\nbody", WHO, WHO)


def test_references_move_together_or_not_at_all(store: GitStore) -> None:
    first, second = commit_of(store, {"a": b"1"}), commit_of(store, {"a": b"2"})
    store.update_refs([RefChange("refs/heads/x", first, ZERO)])
    with pytest.raises(GitError):
        store.update_refs([RefChange("refs/heads/y", second, ZERO), RefChange("refs/heads/x", second, second)])
    assert store.refs() == [("refs/heads/x", first)]
    store.update_refs([RefChange("refs/heads/y", second, ZERO), RefChange("refs/heads/x", second, first)])
    assert store.refs() == [("refs/heads/x", second), ("refs/heads/y", second)]
    store.update_refs([RefChange("refs/heads/y", ZERO, second)])
    assert store.ref("refs/heads/y") is None


@pytest.mark.parametrize("name", ["refs/heads/x~1", "refs/heads/", "x", "", "--all", "refs/heads/x\n"])
def test_only_an_exact_name_is_a_reference(store: GitStore, name: str) -> None:
    store.update_refs([RefChange("refs/heads/x", commit_of(store, {"a": b"1"}, commit_of(store, {"a": b"2"})))])
    assert store.ref(name) is None


@pytest.mark.parametrize("name", ["none", "main:a b missing", "0" * 40, "", "a\nb", "x blob 3", "--help", "main:"])
def test_a_name_without_an_object_is_none_and_the_next_is_found(store: GitStore, name: str) -> None:
    sha = store.write_blob(b"data")
    assert store.resolve(name) is None
    assert store.blob(sha) == b"data"


def test_the_reader_comes_back_after_close_and_leaves_no_process(store: GitStore) -> None:
    sha = store.write_blob(b"data")
    assert store.kind(sha) == "blob"
    store.close()
    assert store.blob(sha) == b"data"
    del store
    gc.collect()


def test_a_new_object_is_seen_by_a_reader_that_runs(store: GitStore) -> None:
    assert store.kind("1" * 40) is None
    assert store.kind(store.write_blob(b"later")) == "blob"


def test_a_diff_counts_lines_finds_renames_and_is_not_fooled_by_content(store: GitStore) -> None:
    body = "".join(f"line {number}\n" for number in range(20)).encode()
    before = tree_of(store, {"old.txt": body, "same": b"", "gone": b"x\n", "bin": b"\0\1"})
    after = tree_of(
        store,
        {
            "new name.txt": body,
            "same": b"diff --git a/x b/x\n+++ y\n--- z\n@@ -1 +1 @@\n",
            "bin": b"\0\2",
            "empty": b"",
        },
    )
    found = {it.path: it for it in store.diff(before, after)}
    assert (found["new name.txt"].status, found["new name.txt"].previous) == ("renamed", "old.txt")
    assert (found["same"].additions, found["same"].deletions) == (4, 0)
    assert (found["gone"].status, found["gone"].deletions) == ("removed", 1)
    assert (found["bin"].patch, found["empty"].patch) == (None, None)


def test_everything_is_added_to_the_empty_tree(store: GitStore) -> None:
    assert [(it.path, it.status) for it in store.diff(EMPTY_TREE, tree_of(store, {"a": b"1\n"}))] == [("a", "added")]
    assert parse_diff(b"", b"") == []


def test_the_environment_of_the_caller_does_not_reach_git(store: GitStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
    sha = commit_of(store, {"a": b"1"})
    assert store.commit(sha).author == WHO
    assert store.kind(sha) == "commit"
