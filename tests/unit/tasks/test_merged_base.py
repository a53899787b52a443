"""Promises about merges of the base: what one side alone changed, and lines that are replayed, is nobody's own work."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, TestPath
from bot.edit.ports import TreeEntry
from bot.tasks.merged_base import FourTrees, FourVersions, Tree

BLOB_A, BLOB_B, BLOB_C = "a", "b", "c"


def tree(**files: str) -> Tree:
    return {TestPath(name): TreeEntry(BlobSha(blob), "100644") for name, blob in files.items()}


def test_a_merge_that_takes_each_file_from_the_side_that_changed_it_holds_nothing_of_its_own() -> None:
    trees = FourTrees(
        stood_on=tree(x="1", y="1", z="1"), ours=tree(x="2", y="1", z="1"), base=tree(x="1", y="2", new="9"),
        merge=tree(x="2", y="2", new="9"),
    )  # fmt: skip
    assert trees.disputed() == ()


def test_a_file_of_its_own_a_lost_one_a_changed_one_or_another_mode_is_somebodys_work() -> None:
    stood_on, ours, base = tree(x="1", y="1"), tree(x="2", y="1"), tree(x="1", y="2")
    for merge in (
        tree(x="2", y="2", mine="9"),
        tree(y="2"),
        tree(x="2", y="3"),
        tree(x="1", y="2"),  # our change was undone
        {**tree(x="2"), TestPath("y"): TreeEntry(BlobSha("2"), "100755")},
    ):
        assert FourTrees(stood_on, ours, base, merge).disputed() is None


def test_a_file_that_both_sides_changed_is_left_to_its_bytes_and_a_deleted_one_is_not_believed() -> None:
    stood_on, ours = tree(x="1"), tree(x="2")
    assert FourTrees(stood_on, ours, tree(x="3"), tree(x="4")).disputed() == (TestPath("x"),)
    assert FourTrees(stood_on, ours, tree(), tree(x="2")).disputed() is None


def test_bytes_are_ours_where_the_very_lines_are_replaced() -> None:
    stood_on, ours = b"import a\nest(600)\nrun()\n", b"import a\nest(900)\nrun()\n"
    base = b"import a\nimport b\nest(600)\nrun()\n"
    assert FourVersions(stood_on, ours, base, b"import a\nimport b\nest(900)\nrun()\n").replays()
    assert not FourVersions(stood_on, ours, base, b"import a\nimport b\nest(900)\nrun(1)\n").replays()
    assert not FourVersions(stood_on, ours, base, b"import a\nimport b\nest(901)\nrun()\n").replays()
    assert not FourVersions(stood_on, ours, base, base).replays()


def test_a_file_too_large_to_compare_is_not_believed() -> None:
    large = b"x\n" * 10_001
    assert not FourVersions(large, large, large, large).replays()


LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"register(1)"]), max_size=8)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(head=LINES, tail=LINES, grown=LINES, extra=st.sampled_from([b"evil()", b"\tregister(2)"]))
def test_a_line_that_a_person_adds_is_always_seen(
    head: list[bytes], tail: list[bytes], grown: list[bytes], extra: bytes
) -> None:
    def joined(*parts: list[bytes]) -> bytes:
        return b"\n".join(line for part in parts for line in part)

    stood_on, ours = joined(head, [b"est(600)"], tail), joined(head, [b"est(900)"], tail)
    base, clean = joined(grown, head, [b"est(600)"], tail), joined(grown, head, [b"est(900)"], tail)
    assert FourVersions(stood_on, ours, base, clean).replays()
    assert not FourVersions(stood_on, ours, base, joined([clean], [extra])).replays()
