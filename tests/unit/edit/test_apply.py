"""Bytes in, bytes out: what an edit changes, and every byte it must leave."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, EditRefusal, LiteralChange, TestPath
from bot.edit.apply import Applied, apply
from bot.edit.registrations import REGISTRATIONS
from bot.edit.registrations.contract import Example

PATH = TestPath("tests/zoo/test_otter.py")


def change(index: int = 0, est_time: int | None = None, labels: tuple[str, ...] | None = None) -> LiteralChange:
    return LiteralChange(PATH, BlobSha("b" * 40), index, est_time, labels)


def applied(raw: bytes, *changes: LiteralChange) -> Applied:
    return apply(PATH, raw, changes)


def edited(raw: bytes, *changes: LiteralChange) -> bytes:
    result = applied(raw, *changes)
    assert result.refused == ()
    assert result.edit is not None
    assert (result.edit.path, result.edit.before, result.edit.changes) == (PATH, raw, changes)
    return result.edit.after


def reasons(result: Applied) -> list[EditRefusal]:
    return [refused.reason for refused in result.refused]


EXAMPLES = [
    pytest.param(example, id=f"{name}: {example.title}")
    for name, dialect in REGISTRATIONS.items()
    for example in dialect.EXAMPLES
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_dialect_does_what_its_examples_show(example: Example) -> None:
    assert edited(example.before, change(example.index, example.est_time, example.labels)) == example.after


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        (
            b'register_cuda_ci(700, "stage-q-4-gpu", labels=["alpha"])',
            600,
            b'register_cuda_ci(600, "stage-q-4-gpu", labels=["alpha"])',
        ),
        (
            b'register_cuda_ci(700, suite="stage-q-4-gpu", labels=["alpha"])',
            600,
            b'register_cuda_ci(600, suite="stage-q-4-gpu", labels=["alpha"])',
        ),
        (
            b'register_cuda_ci(\n    suite="s",\n    est_time=1800,  # placeholder\n    labels=["alpha"],\n)\n',
            900,
            b'register_cuda_ci(\n    suite="s",\n    est_time=900,  # placeholder\n    labels=["alpha"],\n)\n',
        ),
        (b'register_cuda_ci(est_time=(600), suite="s")\n', 90, b'register_cuda_ci(est_time=(90), suite="s")\n'),
        (b'register_cuda_ci(est_time=1.5, suite="s")\n', 10, b'register_cuda_ci(est_time=10, suite="s")\n'),
        (b'register_cuda_ci(est_time=1_000, suite="s")\n', 900, b'register_cuda_ci(est_time=900, suite="s")\n'),
        (b'register_cuda_ci(est_time=0x3c, suite="s")\n', 70, b'register_cuda_ci(est_time=70, suite="s")\n'),
        (b'register_cuda_ci(est_time=6e2, suite="s")\n', 1000, b'register_cuda_ci(est_time=1000, suite="s")\n'),
        (
            b'# est_time: ~5071\xe2\x80\x93593s on 8\xc3\x97GPU.\nregister_cuda_ci(est_time=6000, suite="s")  # 593s\n',
            6800,
            b'# est_time: ~5071\xe2\x80\x93593s on 8\xc3\x97GPU.\nregister_cuda_ci(est_time=6800, suite="s")  # 593s\n',
        ),
        (
            'tag = "\u6c34\u736d"; register_cuda_ci(est_time=60, suite="s", labels=["a"])'.encode(),
            90,
            'tag = "\u6c34\u736d"; register_cuda_ci(est_time=90, suite="s", labels=["a"])'.encode(),
        ),
        (
            b'register_cuda_ci(est_time=60, suite="s", labels=["a"])\r\nx = 1\r\n',
            90,
            b'register_cuda_ci(est_time=90, suite="s", labels=["a"])\r\nx = 1\r\n',
        ),
        (
            b'\xef\xbb\xbfregister_cuda_ci(est_time=60, suite="s", labels=["a"])\n',
            90,
            b'\xef\xbb\xbfregister_cuda_ci(est_time=90, suite="s", labels=["a"])\n',
        ),
        (
            b'# coding: latin-1\n# caf\xe9\nregister_cuda_ci(est_time=60, suite="s", labels=["a"])\n',
            90,
            b'# coding: latin-1\n# caf\xe9\nregister_cuda_ci(est_time=90, suite="s", labels=["a"])\n',
        ),
        (
            b'register_cuda_ci(est_time=60,\tsuite="s", labels=["a"])  # 48s x1.25',
            90,
            b'register_cuda_ci(est_time=90,\tsuite="s", labels=["a"])  # 48s x1.25',
        ),
        (
            b'x = f"{d["k"]}"\ntype P = tuple[int, int]\nregister_cuda_ci(est_time=60, suite="s")\n',
            90,
            b'x = f"{d["k"]}"\ntype P = tuple[int, int]\nregister_cuda_ci(est_time=90, suite="s")\n',
        ),
        (
            b'x = "__mark_0_0_"\nregister_cuda_ci ( est_time = 60 , suite = "s" ) ; y = 2\n',
            90,
            b'x = "__mark_0_0_"\nregister_cuda_ci ( est_time = 90 , suite = "s" ) ; y = 2\n',
        ),
        (
            b'def f():\n\tpass\n\x0c\nregister_cuda_ci(est_time=60, suite="s")\n\x0c\n',
            90,
            b'def f():\n\tpass\n\x0c\nregister_cuda_ci(est_time=90, suite="s")\n\x0c\n',
        ),
    ],
)
def test_only_the_number_changes(before: bytes, value: int, after: bytes) -> None:
    assert edited(before, change(est_time=value)) == after


def test_each_call_gets_its_own_value() -> None:
    before = (
        b'register_cuda_ci(est_time=60, suite="lane-small", labels=["a"])\n'
        b'register_rocm_ci(est_time=50, suite="lane-small", labels=["a"])\n'
        b'register_cuda_ci(est_time=400, suite="lane-4-beta", labels=["a"])\n'
    )
    after = before.replace(b"=60", b"=70").replace(b"=400", b"=700")
    assert edited(before, change(0, 70), change(2, 700)) == after
    assert edited(before, change(2, 700), change(0, 70)) == after


def test_the_disabled_twin_stays() -> None:
    before = b'register_cuda_ci(60, "s", disabled="flaky")\nregister_cuda_ci(70, "s")\n'
    assert edited(before, change(1, 110)) == before.replace(b"70", b"110")


@pytest.mark.parametrize(
    ("literal", "value"), [(b"60.0", 60), (b"1_000", 1000), (b"0x3c", 60), (b"6e2", 600), (b"600", 600)]
)
def test_a_literal_that_says_the_value_already_is_not_rewritten(literal: bytes, value: int) -> None:
    result = applied(b"register_cuda_ci(est_time=%b, suite='s')\n" % literal, change(est_time=value))
    assert result == Applied(None)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"EST = 600\nregister_cuda_ci(est_time=EST, suite='s')\n", EditRefusal.EST_TIME_NOT_LITERAL),
        (b"register_cuda_ci(est_time=60*10, suite='s')\n", EditRefusal.EST_TIME_NOT_LITERAL),
        (b"register_cuda_ci(est_time=-1, suite='s')\n", EditRefusal.EST_TIME_NOT_POSITIVE),
        (b"register_cuda_ci(est_time=True, suite='s')\n", EditRefusal.EST_TIME_NOT_A_NUMBER),
        (b"register_cuda_ci(1, 's')\nregister_cuda_ci(2, 's')\n", EditRefusal.AMBIGUOUS_KEY),
        (b"register_cuda_ci(1, 's', labels=('a',))\n", EditRefusal.LABELS_NOT_A_LIST),
        (b"# caf\xe9\nregister_cuda_ci(1, 's')\n", EditRefusal.UNDECODABLE),
        (b"register_cuda_ci(1, 's')\n(\n", EditRefusal.UNKNOWN_GRAMMAR),
        (b"if 1:\n    register_cuda_ci(1, 's')\n", EditRefusal.EDIT_CHECK_FAILED),
        (b"x = 1\n", EditRefusal.EDIT_CHECK_FAILED),
        # two places where libcst would not give the bytes back
        (b"\x0cregister_cuda_ci(1, 's')\n", EditRefusal.EDIT_CHECK_FAILED),
        (b"register_cuda_ci(1, 's')\r", EditRefusal.EDIT_CHECK_FAILED),
    ],
)
def test_what_is_not_safe_is_refused_and_nothing_is_written(raw: bytes, reason: EditRefusal) -> None:
    result = applied(raw, change(est_time=600))
    assert result.edit is None
    assert reasons(result) == [reason]


def test_a_refused_call_does_not_block_another_of_the_file() -> None:
    raw = b"register_cuda_ci(est_time=EST, suite='s')\nregister_rocm_ci(est_time=60, suite='s')\n"
    result = applied(raw, change(0, 90), change(1, 90))
    assert reasons(result) == [EditRefusal.EST_TIME_NOT_LITERAL]
    assert result.edit is not None
    assert result.edit.after == raw.replace(b"60", b"90")
    assert result.edit.changes == (change(1, 90),)


def test_a_refused_label_list_does_not_block_the_estimate_of_its_call() -> None:
    raw = b'register_cuda_ci(60, "s", labels=[ALPHA, "beta"])\n'
    result = applied(raw, change(0, 90, ("alpha", "beta")))
    assert reasons(result) == [EditRefusal.LABELS_NOT_LITERAL]
    assert result.edit is not None
    assert result.edit.after == raw.replace(b"60", b"90")


def test_a_second_change_of_one_call_and_a_missing_call_are_refused() -> None:
    result = applied(b"register_cuda_ci(60, 's')\n", change(0, 90), change(0, 100), change(7, 80))
    assert reasons(result) == [EditRefusal.EDIT_CHECK_FAILED] * 2
    assert result.edit is not None
    assert result.edit.after == b"register_cuda_ci(90, 's')\n"


@pytest.mark.parametrize("value", [0, -5])
def test_no_estimate_is_ever_set_to_nothing(value: int) -> None:
    assert reasons(applied(b"register_cuda_ci(60, 's')\n", change(0, value))) == [EditRefusal.EST_TIME_NOT_POSITIVE]


def test_nothing_to_change_is_no_edit() -> None:
    assert applied(b"register_cuda_ci(60, 's')\n") == Applied(None)
    assert applied(b"register_cuda_ci(60, 's', labels=['a'])\n", change(0, labels=("a",))) == Applied(None)
