"""The proof fails for every edit that did more, or less, than was planned."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, LiteralChange, TestPath
from bot.edit.edit_check import check, mask

BEFORE = (
    b'# head\nregister_cuda_ci(est_time=60, suite="s", labels=[\n    "a",  # why a\n    "b",\n])\n'
    b'register_rocm_ci(est_time=50, suite="s", labels=["a"])\nx = 1\n'
)


def change(index: int = 0, est_time: int | None = None, labels: tuple[str, ...] | None = None) -> LiteralChange:
    return LiteralChange(TestPath("t.py"), BlobSha("b"), index, est_time, labels)


def test_the_planned_edit_passes() -> None:
    assert check(BEFORE, BEFORE.replace(b"60", b"90"), [change(est_time=90)]) is None
    grown = BEFORE.replace(b'    "b"', b'    "aa",\n    "b"')
    assert check(BEFORE, grown, [change(labels=("a", "aa", "b"))]) is None


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,  # nothing done
        BEFORE.replace(b"60", b"91"),  # another value
        BEFORE.replace(b"60", b"9_0"),  # the value, written otherwise
        BEFORE.replace(b"60", b"90").replace(b"50", b"51"),  # another call too
        BEFORE.replace(b"50", b"90"),  # only another call
        BEFORE.replace(b"60", b"90").replace(b"# head", b"# Head"),  # a comment
        BEFORE.replace(b"60", b"90").replace(b"\n", b"\r\n"),  # line endings
        BEFORE.replace(b"60", b"90") + b"\n",
        BEFORE.replace(b"60", b"90")[:-1],
        b"\xef\xbb\xbf" + BEFORE.replace(b"60", b"90"),
        BEFORE.replace(b"60", b"90").replace(b"why a", b"why b"),
        BEFORE.replace(b"est_time=60", b"est_time = 90"),
        BEFORE.replace(b"60", b"(90)"),
        BEFORE.replace(b"60", b"90 + 0"),
        BEFORE.replace(b"60", b"90").replace(b"x = 1", b"x = 2"),
        BEFORE.replace(b"60", b"90, nightly=True"),
        BEFORE.replace(b"60", b"90") + b"(",
        b"",
    ],
)
def test_any_other_change_of_an_estimate_fails(after: bytes) -> None:
    assert check(BEFORE, after, [change(est_time=90)]) is not None


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace(b'    "b"', b'    "aa", "b"').replace(b"  # why a", b""),  # a comment in the list went
        BEFORE.replace(b'    "b"', b'    "ab",\n    "b"'),  # another label
        BEFORE.replace(b'    "a",  # why a\n    "b"', b'    "b",\n    "a",  # why a\n    "aa"'),  # moved
        BEFORE.replace(b'    "b"', b'    "aa",\n    "b"').replace(b"60", b"61"),  # the estimate as well
    ],
)
def test_any_other_change_of_a_list_fails(after: bytes) -> None:
    assert check(BEFORE, after, [change(labels=("a", "aa", "b"))]) is not None


def test_a_file_without_registrations_proves_nothing() -> None:
    assert check(b"x = 1\n", b"x = 1\n", [change(est_time=90)]) is not None


def test_the_mask_covers_every_editable_literal_and_nothing_else() -> None:
    raw = (
        b'register_cuda_ci(est_time=60, suite="s60", labels=["a"], disabled="60")\r\n'
        b'register_rocm_ci(est_time=EST, suite="s", labels=None)\nx = 60\n'
    )
    assert mask(raw) == (
        b'register_cuda_ci(est_time=\0e, suite="s60", labels=\0l, disabled="60")\r\n'
        b'register_rocm_ci(est_time=EST, suite="s", labels=None)\nx = 60\n'
    )


def test_the_mask_counts_bytes_in_any_encoding() -> None:
    raw = '\ufeffa = "\u6c34"; register_cuda_ci(60, "\u6c34", labels=["\u736d"])\n# \u6c34\n'.encode()
    assert mask(raw) == '\ufeffa = "\u6c34"; register_cuda_ci(\0e, "\u6c34", labels=\0l)\n# \u6c34\n'.encode()
    assert mask(b"# coding: gbk\n# \xcb\xae\nregister_cuda_ci(7, 's')") == (
        b"# coding: gbk\n# \xcb\xae\nregister_cuda_ci(\0e, 's')"
    )


@pytest.mark.parametrize("raw", [b"", b"x = 1\n", b"# caf\xe9\nregister_cuda_ci(1, 's')\n", b"register_cuda_ci(1, 's'"])
def test_bytes_that_cannot_be_read_are_their_own_mask(raw: bytes) -> None:
    assert mask(raw) == raw
