"""What is read from registering calls, and what is refused with which reason."""

from __future__ import annotations

import pytest

from bot.domain import BlobSha, EditRefusal, Registration, SourceRegistrations, TestPath
from bot.edit.registrations.register_call import read

PATH = TestPath("tests/zoo/test_otter.py")


def source(text: str | bytes) -> SourceRegistrations:
    return read(PATH, BlobSha("b" * 40), text if isinstance(text, bytes) else text.encode())


def only(text: str | bytes) -> Registration:
    found = source(text)
    assert found.refused == ()
    assert len(found.registrations) == 1
    return found.registrations[0]


def reasons(text: str | bytes) -> list[tuple[int, EditRefusal]]:
    return [(call.line, call.reason) for call in source(text).refused]


def test_keywords_are_read_with_their_positions() -> None:
    found = only(
        'x = 1\nregister_cuda_ci(\n    suite="s",\n    est_time=1800,  # placeholder\n    labels=["a", "b"],\n)\n'
    )
    assert found.key.path == PATH
    assert (found.key.backend, found.key.suite) == ("cuda", "s")
    assert (found.line, found.end_line, found.est_line) == (2, 6, 4)
    assert (found.est_time, found.est_text, found.labels) == (1800.0, "1800", ("a", "b"))
    assert found.active
    assert not found.nightly
    assert found.est_refusal is None
    assert found.label_refusal is None


@pytest.mark.parametrize(
    "text",
    ['register_cuda_ci(700, "s", labels=["a"])', 'register_cuda_ci(700, suite="s", labels=["a"])'],
)
def test_estimate_and_suite_may_be_positional(text: str) -> None:
    found = only(text)
    assert (found.est_time, found.key.suite, found.labels) == (700.0, "s", ("a",))


def test_any_backend_and_unknown_keywords_are_tolerated() -> None:
    found = only('register_npu_a3_ci(est_time=5, suite="s", labels=[], stage="nightly", nightly=True)')
    assert found.key.backend == "npu_a3"
    assert found.nightly


def test_calls_of_two_backends_and_two_suites_are_four_keys() -> None:
    found = source(
        'register_cuda_ci(60, "a")\nregister_rocm_ci(50, "a")\nregister_cuda_ci(40, "b")\nregister_cpu_ci(1, "c")\n'
    )
    assert [(r.index, r.key.backend, r.key.suite) for r in found.registrations] == [
        (0, "cuda", "a"),
        (1, "rocm", "a"),
        (2, "cuda", "b"),
        (3, "cpu", "c"),
    ]
    assert {r.est_refusal for r in found.registrations} == {None}


def test_a_disabled_twin_leaves_the_active_call_editable() -> None:
    found = source('register_cuda_ci(60, "s", disabled="flaky")\nregister_cuda_ci(70, "s")\n').registrations
    assert [(r.active, r.disabled, r.est_refusal) for r in found] == [(False, "flaky", None), (True, None, None)]


def test_two_active_calls_with_one_key_are_both_refused() -> None:
    found = source('register_cuda_ci(60, "s", labels=["a"])\nregister_cuda_ci(70, "s", labels=["a"])\n').registrations
    assert [r.est_refusal for r in found] == [EditRefusal.AMBIGUOUS_KEY] * 2
    assert [r.label_refusal for r in found] == [EditRefusal.AMBIGUOUS_KEY] * 2


@pytest.mark.parametrize("disabled", ["REASON", "f'x'", "True", "''"])
def test_a_reason_that_is_not_none_disables(disabled: str) -> None:
    assert not only(f'register_cuda_ci(60, "s", disabled={disabled})').active


def test_disabled_none_is_active() -> None:
    assert only('register_cuda_ci(60, "s", disabled=None)').active


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (
            "from tests.ci.ci_register import register_cuda_ci as reg\nreg(est_time=60, suite='s')\n",
            2,
            EditRefusal.ALIASED_IMPORT,
        ),
        ("reg = register_cuda_ci\nreg(60, 's')\n", 2, EditRefusal.ALIASED_IMPORT),
        (
            "try:\n    from ci import register_cuda_ci as reg\nexcept E:\n    pass\nreg(60, 's')\n",
            5,
            EditRefusal.ALIASED_IMPORT,
        ),
        ("ci_register.register_cuda_ci(est_time=60, suite='s')\n", 1, EditRefusal.ATTRIBUTE_CALL),
        ("if True:\n    register_cuda_ci(est_time=60, suite='s')\n", 2, EditRefusal.NOT_TOP_LEVEL),
        ("def f():\n    register_cuda_ci(est_time=60, suite='s')\n", 2, EditRefusal.NOT_TOP_LEVEL),
        ("x = register_cuda_ci(est_time=60, suite='s')\n", 1, EditRefusal.NOT_TOP_LEVEL),
        ("register_cuda_ci(*A)\n", 1, EditRefusal.STARRED_ARGUMENTS),
        ("register_cuda_ci(60, **A)\n", 1, EditRefusal.STARRED_ARGUMENTS),
        ("register_cuda_ci(60, 's', ['a'])\n", 1, EditRefusal.TOO_MANY_POSITIONALS),
        ("register_cuda_ci(60, est_time=70, suite='s')\n", 1, EditRefusal.DUPLICATE_ARGUMENT),
        ("register_cuda_ci(suite='s')\n", 1, EditRefusal.EST_TIME_MISSING),
        ("register_cuda_ci(60, SUITE)\n", 1, EditRefusal.SUITE_NOT_LITERAL),
        ("register_cuda_ci(60)\n", 1, EditRefusal.SUITE_NOT_LITERAL),
        ("def register_cuda_ci(*a):\n    pass\nregister_cuda_ci(60, 's')\n", 3, EditRefusal.NAME_DEFINED_HERE),
        # ᵣ is normalised to r in identifiers
        ("\u1d63egister_cuda_ci(60, 's')  # register_cuda_ci\n", 1, EditRefusal.ALIASED_IMPORT),
    ],
)
def test_a_call_the_runner_would_not_read_is_refused_by_name(text: str, line: int, reason: EditRefusal) -> None:
    assert reasons(text) == [(line, reason)]
    assert source(text).registrations == ()


def test_a_stray_call_does_not_hide_the_real_one() -> None:
    found = source("ci.register_cuda_ci(1, 's')\nregister_cuda_ci(60, 's')\n")
    assert [(r.index, r.line) for r in found.registrations] == [(0, 2)]
    assert [call.reason for call in found.refused] == [EditRefusal.ATTRIBUTE_CALL]


def test_a_definition_or_text_of_a_call_is_no_call() -> None:
    text = (
        '"""\nregister_cuda_ci(60, "s")\n"""\n__all__ = ["register_cuda_ci"]\n# register_cuda_ci(1, "s")\n'
        "def register_cuda_ci(est_time, suite):\n    return None\n"
    )
    assert source(text) == SourceRegistrations(PATH, BlobSha("b" * 40))


@pytest.mark.parametrize(
    ("literal", "value", "refusal"),
    [
        ("600", 600.0, None),
        ("(600)", 600.0, None),
        ("60.0", 60.0, None),
        ("1.5", 1.5, None),
        ("1_000", 1000.0, None),
        ("0x3c", 60.0, None),
        ("6e2", 600.0, None),
        ("0", 0.0, None),
        ("-1", -1.0, EditRefusal.EST_TIME_NOT_POSITIVE),
        ("EST", 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ("60*10", 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ('int("600")', 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ("(t := 60)", 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ("f'{6}'", 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ("-True", 0.0, EditRefusal.EST_TIME_NOT_LITERAL),
        ("True", 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("None", 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
        ('"600"', 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("6j", 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("1e999", 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("1" + "0" * 400, 0.0, EditRefusal.EST_TIME_NOT_A_NUMBER),
    ],
)
def test_an_estimate_is_a_number_as_written_or_refused(literal: str, value: float, refusal: EditRefusal | None) -> None:
    found = only(f"register_cuda_ci(est_time={literal}, suite='s', labels=['a'])\n")
    assert (found.est_time, found.est_refusal) == (value, refusal)
    assert found.label_refusal is None


def test_the_literal_is_kept_as_written() -> None:
    assert only("register_cuda_ci(est_time=(0x3C), suite='s')").est_text == "0x3C"


@pytest.mark.parametrize(
    ("labels", "value", "refusal"),
    [
        ("labels=[]", (), None),
        ('labels=["a" "b"]', ("ab",), None),
        ("labels=None", None, EditRefusal.NO_LABEL_LIST),
        ("nightly=False", None, EditRefusal.NO_LABEL_LIST),
        ('labels=[ALPHA, "beta"]', None, EditRefusal.LABELS_NOT_LITERAL),
        ("labels=COMMON", None, EditRefusal.LABELS_NOT_LITERAL),
        ('labels=["a"] + EXTRA', None, EditRefusal.LABELS_NOT_LITERAL),
        ("labels=[*COMMON]", None, EditRefusal.LABELS_NOT_LITERAL),
        ("labels=[1]", None, EditRefusal.LABELS_NOT_LITERAL),
        ("labels=[b'a']", None, EditRefusal.LABELS_NOT_LITERAL),
        ("labels=['a' for x in y]", None, EditRefusal.LABELS_NOT_LITERAL),
    ],
)
def test_labels_are_a_literal_list_or_refused_while_the_estimate_stays_editable(
    labels: str, value: tuple[str, ...] | None, refusal: EditRefusal | None
) -> None:
    found = only(f"register_cuda_ci(60, 's', {labels})\n")
    assert (found.labels, found.label_refusal, found.est_refusal) == (value, refusal, None)


@pytest.mark.parametrize("labels", ['("alpha",)', '"alpha"', '{"alpha"}', "3"])
def test_labels_that_are_no_list_refuse_the_whole_file(labels: str) -> None:
    found = source(f"register_cuda_ci(60, 's', labels={labels})\nregister_rocm_ci(60, 's', labels=['a'])\n")
    assert [r.est_refusal for r in found.registrations] == [EditRefusal.LABELS_NOT_A_LIST] * 2


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("# est_time from CI history: ~5071\u20135923s on 8\u00d7GPU.\nregister_cuda_ci(6000, 's')\n", True),
        ("register_cuda_ci(6000, 's')  # seen 5071\u20135923s\n", True),
        ("register_cuda_ci(\n    60,  # 48 sec x1.25\n    's',\n)\n", True),
        ("# about 20 minutes\n# on a good day\nregister_cuda_ci(1200, 's')\n", True),
        ("# \u7ea6 300 \u79d2\nregister_cuda_ci(400, 's')\n", True),
        ("register_cuda_ci(60, 's')  # needs 8 H100, see 42\n", False),
        ("# takes 20s\n\nregister_cuda_ci(60, 's')\n", False),
        ("register_cuda_ci(60, 'runs 20s # 5s')\n", False),
        ("register_cuda_ci(60, 's')\n# 20s\n", False),
    ],
)
def test_a_comment_beside_the_call_that_names_a_duration_is_flagged(text: str, mentions: bool) -> None:
    assert only(text).comment_mentions_seconds is mentions


def test_wide_characters_before_the_call_do_not_move_the_literal() -> None:
    assert only('tag = "\u6c34\u736d"; register_cuda_ci(est_time=60, suite="s", labels=["a"])').est_text == "60"


@pytest.mark.parametrize(
    "raw",
    [
        b'register_cuda_ci(est_time=60, suite="s")\r\nx = 1\r\n',
        b'\xef\xbb\xbfregister_cuda_ci(est_time=60, suite="s")\n',
        b'# -*- coding: latin-1 -*-\n# caf\xe9\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'# coding: gbk\nx = "\xcb\xae"; register_cuda_ci(est_time=60, suite="s")\n',
        b'x = 1\n\x0c\nregister_cuda_ci(est_time=60, suite="s")',
        b'x = 1\rregister_cuda_ci(est_time=60, suite="s")\r',
        b'x = f"{d["k"]}"\ntype Pair = tuple[int, int]\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'class A[T = int]:\n    x: T\nregister_cuda_ci(\n    est_time=60,\n    suite="s")\n',
        b'x = "\\d"\nregister_cuda_ci(est_time=60, suite="s")\n',
    ],
)
def test_any_layout_encoding_and_newer_grammar_reads_alike(raw: bytes) -> None:
    found = only(raw)
    assert (found.est_text, found.key.suite) == ("60", "s")


def test_lines_are_right_in_newer_grammar() -> None:
    found = source(
        b'# top\ntype A = int\nif 1:\n    pass\n    register_rocm_ci(1, "s")\n\n# near\nregister_cuda_ci(60, "s")\n'
    )
    assert [r.line for r in found.registrations] == [8]
    assert [(call.line, call.reason) for call in found.refused] == [(5, EditRefusal.NOT_TOP_LEVEL)]


def test_an_alias_is_refused_in_newer_grammar_too() -> None:
    text = "type A = int\nfrom ci import register_cuda_ci as reg\nreg(60, 's')\nregister_cpu_ci(1, 's')\n"
    assert reasons(text) == [(3, EditRefusal.ALIASED_IMPORT)]
    assert [r.line for r in source(text).registrations] == [4]


CALL = b'register_cuda_ci(60, "s")\n'


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"# caf\xe9\n" + CALL, EditRefusal.UNDECODABLE),
        (b"# coding: no-such-codec\n" + CALL, EditRefusal.UNDECODABLE),
        (b"# coding: utf-7\n# +AGE-\n" + CALL, EditRefusal.UNDECODABLE),
        (b"# coding: rot13\n" + CALL, EditRefusal.UNDECODABLE),
        (CALL + b"\0", EditRefusal.UNDECODABLE),
        (CALL + b"def (:\n", EditRefusal.UNKNOWN_GRAMMAR),
        (b'type A = int; register_cuda_ci(60, "s")\n', EditRefusal.UNKNOWN_GRAMMAR),
        (b"x = " + b"(" * 30_000 + b"\n" + CALL, EditRefusal.UNKNOWN_GRAMMAR),
        (b"x = " + b"-" * 30_000 + b"1\n" + CALL, EditRefusal.UNKNOWN_GRAMMAR),
        (b"type A = " + b"not " * 30_000 + b"1\n" + CALL, EditRefusal.UNKNOWN_GRAMMAR),
        (b"#" * (1024 * 1024) + b"\n" + CALL, EditRefusal.FILE_TOO_LARGE),
        (CALL * 1001, EditRefusal.FILE_TOO_LARGE),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_a_whole(raw: bytes, reason: EditRefusal) -> None:
    assert reasons(raw) == [(0, reason)]


def test_a_file_without_a_registering_name_is_not_even_decoded() -> None:
    assert source(b"# caf\xe9\nregister_ci_gate(1)\n(((") == SourceRegistrations(PATH, BlobSha("b" * 40))
