"""New labels take their place in the list's own style; nothing present moves."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, EditRefusal, LiteralChange, TestPath
from bot.edit.apply import apply
from bot.edit.registrations.label_text import align

PATH = TestPath("tests/zoo/test_otter.py")


def relabelled(raw: str, labels: tuple[str, ...], est_time: int | None = None) -> str:
    result = apply(PATH, raw.encode(), [LiteralChange(PATH, BlobSha("b"), 0, est_time, labels)])
    assert result.refused == ()
    return (result.edit.after if result.edit else raw.encode()).decode()


def call(labels: str) -> str:
    return f'register_cuda_ci(est_time=3600, suite="s", labels={labels})\n'


@pytest.mark.parametrize(
    ("before", "labels", "after"),
    [
        ('["gamma"]', ("alpha", "gamma", "beta"), '["alpha", "gamma", "beta"]'),
        ('["model-scripts"]', ("megatron", "model-scripts", "lora"), '["megatron", "model-scripts", "lora"]'),
        ("['b']", ("a", "b"), "['a', 'b']"),
        ('["a","c"]', ("a", "b", "c", "d"), '["a","b","c","d"]'),
        ('[ "a" ]', ("a", "b"), '[ "a", "b" ]'),
        ('["a", ]', ("a", "b"), '["a", "b", ]'),
        ('["a",]', ("a", "b"), '["a", "b",]'),
        ('["a",   "b",]', ("a", "b", "c"), '["a",   "b",   "c",]'),
        ("[]", ("a", "b"), '["a", "b"]'),
        ("[ ]", ("a",), '["a" ]'),
        ('(["b"])', ("a", "b"), '(["a", "b"])'),
        ('[("b")]', ("a", "b", "c"), '["a", ("b"), "c"]'),
        ('["b" "c"]', ("a", "bc", "d"), '["a", "b" "c", "d"]'),
        ('["beta", "alpha", "beta"]', ("beta", "alpha", "beta"), '["beta", "alpha", "beta"]'),
        ('["a", "a"]', ("b", "a", "a"), '["b", "a", "a"]'),
        (
            '[\n    "alpha",\n    "beta",\n    "gamma",\n]',
            ("alpha", "beta", "gamma", "delta"),
            '[\n    "alpha",\n    "beta",\n    "gamma",\n    "delta",\n]',
        ),
        (
            '[\n    "b",  # first\n    # about d\n    "d",  # last, or\n]',
            ("a", "b", "c", "d", "e"),
            '[\n    "a",\n    "b",  # first\n    "c",\n    # about d\n    "d",  # last, or\n    "e",\n]',
        ),
        (
            '[\n\t"alpha",\n\t"beta"  # no comma, here\n\t]',
            ("alpha", "beta", "gamma", "delta"),
            '[\n\t"alpha",\n\t"beta",  # no comma, here\n\t"gamma",\n\t"delta"\n\t]',
        ),
        (
            '["alpha",\n          "beta"]',
            ("alpha", "beta", "gamma"),
            '["alpha",\n          "beta",\n          "gamma"]',
        ),
        (
            '[\n    "a", "b",\n    "d", "e",\n]',
            ("a", "b", "c", "d", "e", "f"),
            '[\n    "a", "b",\n    "c",\n    "d", "e", "f",\n]',
        ),
        ("[  # none yet\n]", ("a",), '["a"  # none yet\n]'),
        ('[\n    "a"\n    ,\n]', ("a", "b"), '[\n    "a"\n    ,\n    "b",\n]'),
    ],
)
def test_a_label_is_inserted_in_the_style_of_its_list(before: str, labels: tuple[str, ...], after: str) -> None:
    assert relabelled(call(before), labels) == call(after)


def test_an_estimate_and_labels_make_one_edit() -> None:
    assert relabelled(call('["gamma"]'), ("alpha", "gamma", "beta"), 1300) == call(
        '["alpha", "gamma", "beta"]'
    ).replace("3600", "1300")


def test_crlf_lists_grow_by_crlf_lines() -> None:
    before = call('[\n    "alpha",\n]').replace("\n", "\r\n")
    assert relabelled(before, ("alpha", "beta")) == call('[\n    "alpha",\n    "beta",\n]').replace("\n", "\r\n")


def test_the_quotes_of_the_call_serve_an_empty_list() -> None:
    assert relabelled("register_cpu_ci(1, 's', labels=[])\n", ("a",)) == "register_cpu_ci(1, 's', labels=['a'])\n"


@pytest.mark.parametrize(
    ("labels", "wanted", "reason"),
    [
        ('["a"]', (), EditRefusal.LABEL_WOULD_GO),
        ('["a", "b"]', ("b", "a"), EditRefusal.LABEL_WOULD_GO),
        ('["a", "a"]', ("a", "b"), EditRefusal.LABEL_WOULD_GO),
        ('["a"]', ("a", 'b"]) or ["'), EditRefusal.LABEL_NOT_WRITABLE),
        ('["a"]', ("a", "b\n"), EditRefusal.LABEL_NOT_WRITABLE),
        ('["a"]', ("a", "b\\"), EditRefusal.LABEL_NOT_WRITABLE),
        ('["a"]', ("a", ""), EditRefusal.LABEL_NOT_WRITABLE),
        ("None", ("a",), EditRefusal.NO_LABEL_LIST),
        ('("alpha",)', ("alpha", "b"), EditRefusal.LABELS_NOT_A_LIST),
        ("COMMON", ("a",), EditRefusal.LABELS_NOT_LITERAL),
        ('["a"] + EXTRA', ("a", "b"), EditRefusal.LABELS_NOT_LITERAL),
    ],
)
def test_a_list_that_cannot_take_the_labels_is_refused(
    labels: str, wanted: tuple[str, ...], reason: EditRefusal
) -> None:
    result = apply(PATH, call(labels).encode(), [LiteralChange(PATH, BlobSha("b"), 0, labels=wanted)])
    assert result.edit is None
    assert [refused.reason for refused in result.refused] == [reason]


def test_an_omitted_list_is_not_invented() -> None:
    result = apply(PATH, b"register_cpu_ci(1, 's')\n", [LiteralChange(PATH, BlobSha("b"), 0, labels=("a",))])
    assert result.edit is None
    assert [refused.reason for refused in result.refused] == [EditRefusal.NO_LABEL_LIST]


def test_a_label_outside_the_file_s_encoding_is_refused() -> None:
    raw = b"# coding: latin-1\nregister_cuda_ci(1, 's', labels=['a'])\n"
    result = apply(PATH, raw, [LiteralChange(PATH, BlobSha("b"), 0, labels=("a", "\u6c34"))])
    assert result.edit is None
    assert [refused.reason for refused in result.refused] == [EditRefusal.LABEL_NOT_WRITABLE]


def test_alignment_names_the_place_of_each_new_label() -> None:
    assert align(("b",), ("a", "b", "c", "d")) == {0: ["a"], 1: ["c", "d"]}
    assert align((), ("a",)) == {0: ["a"]}
    assert align(("a",), ()) is None
