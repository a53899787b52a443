"""Which verdict two versions of a test file get."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, CommitSha, Identity, IdentityCheck, TestPath
from bot.edit.identity import TwoVersions, check_identity, paths_by_blob
from bot.edit.ports import TreeEntry

PATH = TestPath("tests/test_otter.py")
HEAD = CommitSha("a" * 40)
CALL = b'register_cuda_ci(est_time=60, suite="s", labels=["a"])\nx = 1\n'


def entry(name: str, mode: str = "100644") -> TreeEntry:
    return TreeEntry(BlobSha(name * 40), mode)


def verdict(
    head: TreeEntry | None,
    base: TreeEntry | None,
    contents: tuple[bytes | None, bytes | None] = (None, None),
    elsewhere: dict[TestPath, TreeEntry] | None = None,
) -> IdentityCheck:
    tree = {**(elsewhere or {}), **({PATH: base} if base else {})}
    return check_identity(TwoVersions(PATH, HEAD, head, base, *contents), paths_by_blob(tree))


def test_one_blob_is_identical_and_needs_no_contents() -> None:
    found = verdict(entry("1"), entry("1"))
    assert found == IdentityCheck(PATH, HEAD, Identity.IDENTICAL, BlobSha("1" * 40), BlobSha("1" * 40))


def test_an_execute_bit_changes_no_test() -> None:
    assert verdict(entry("1"), entry("1", "100755")).verdict is Identity.IDENTICAL


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (CALL.replace(b"60", b"700"), Identity.REGISTRATION_ONLY),
        (CALL.replace(b'["a"]', b'["b", "a"]'), Identity.REGISTRATION_ONLY),
        (CALL.replace(b"60", b"700").replace(b"x = 1", b"x = 2"), Identity.CHANGED),
        (CALL.replace(b'"s"', b'"t"'), Identity.CHANGED),
        (CALL.replace(b")", b', disabled="flaky")'), Identity.CHANGED),
        (CALL + b"# a comment\n", Identity.CHANGED),
        (b"x = 1\n", Identity.CHANGED),
    ],
)
def test_differing_blobs_are_compared_behind_the_mask(base: bytes, expected: Identity) -> None:
    assert verdict(entry("1"), entry("2"), (CALL, base)).verdict is expected


def test_without_contents_a_differing_file_counts_as_changed() -> None:
    assert verdict(entry("1"), entry("2")).verdict is Identity.CHANGED


def test_a_file_that_went_elsewhere_unchanged_is_moved_and_its_new_place_named() -> None:
    found = verdict(entry("1"), None, elsewhere={TestPath("tests/b/test_otter.py"): entry("1")})
    assert (found.verdict, found.moved_to, found.blob_at_base) == (
        Identity.MOVED,
        TestPath("tests/b/test_otter.py"),
        None,
    )


def test_a_copy_elsewhere_does_not_make_a_changed_file_moved() -> None:
    assert verdict(entry("1"), entry("2"), elsewhere={TestPath("copy.py"): entry("1")}).verdict is Identity.CHANGED


@pytest.mark.parametrize(("head", "base"), [(entry("1"), None), (None, entry("1")), (None, None)])
def test_a_file_that_one_side_lacks_is_missing(head: TreeEntry | None, base: TreeEntry | None) -> None:
    assert verdict(head, base).verdict is Identity.MISSING


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_a_link_or_submodule_is_never_the_same_test(mode: str) -> None:
    assert verdict(entry("1"), entry("1", mode)).verdict is Identity.CHANGED
    assert not verdict(entry("1", mode), entry("1", mode)).verdict.usable
