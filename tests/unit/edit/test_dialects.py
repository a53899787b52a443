"""Which dialect reads a file, what newer calls mean, and what files of estimates keep byte for byte."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, EditRefusal, LiteralChange, Registration, SourceRegistrations, TestPath
from bot.edit.apply import Applied, apply
from bot.edit.edit_check import check
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, REGISTRATIONS, YAML_FORMS, Dialects, register_call, staged_call
from bot.edit.registrations.yaml_file import YamlDialect, YamlExample
from bot.edit.registrations.yaml_text import MAX_YAML_BYTES
from bot.edit.tree_reader import in_scope, read_one, with_gone_files
from bot.repo_config.registrations import Registrations, YamlRegistrations

PATH = TestPath("tests/zoo/test_otter.py")
TIMES = TestPath("ci/times.yaml")
BLOB = BlobSha("b" * 40)
NEWER = b'register_cuda_ci(est_time=13, stage="base-b", runner_config="1-gpu-large")\n'
MAPPING = YamlRegistrations(file=TIMES, key="estimated_times")
LISTS = YamlRegistrations(file=TIMES, list="*")
R26 = b"""\
estimated_times:
  tests/a/test_emu.py: 600   # cold cache
  # beta machines below
  tests/b/test_fox.py: 300

other: 1
"""


def calls(raw: bytes) -> list[Registration]:
    return list(read_one(PATH, BLOB, raw).registrations)


def refused(raw: bytes) -> list[EditRefusal]:
    return [call.reason for call in read_one(PATH, BLOB, raw).refused]


def times(raw: bytes, section: YamlRegistrations = MAPPING) -> SourceRegistrations:
    return read_one(TIMES, BLOB, raw, Dialects(Registrations(yaml=(section,))))


def written(raw: bytes, *values: tuple[int, int], section: YamlRegistrations = MAPPING) -> Applied:
    changes = [LiteralChange(TIMES, BLOB, index, value) for index, value in values]
    return apply(TIMES, raw, changes, Dialects(Registrations(yaml=(section,))))


# ------------------------------------------------------------------------- newer calls


@pytest.mark.parametrize(
    ("raw", "dialect"),
    [
        (NEWER, staged_call),
        (b'register_npu_ci(5, "s", in_process_group = "g")', staged_call),
        (b'register_cuda_ci(5, "s")', register_call),
        (b"stage = 1", None),
    ],
)
def test_the_dialect_of_a_file_is_told_from_its_bytes(raw: bytes, dialect: object) -> None:
    assert AUTOMATIC.of(PATH, raw) is dialect


def test_the_configured_dialect_wins() -> None:
    newer_only = Dialects(Registrations(dialects=("staged_call",)))
    raw = b'register_amd_ci(60, "nightly-amd", True)\n'
    assert refused(raw) == [EditRefusal.TOO_MANY_POSITIONALS]
    assert newer_only.of(PATH, raw) is staged_call
    assert read_one(PATH, BLOB, raw, newer_only).registrations[0].nightly
    assert Dialects(Registrations(dialects=("register_call",))).of(PATH, NEWER) is register_call
    assert newer_only.of(PATH, b"x = 1") is None


@pytest.mark.parametrize("backend", ["cpu", "cuda", "amd", "npu", "xpu", "musa"])
def test_stage_and_runner_fold_into_the_suite_on_every_backend(backend: str) -> None:
    (one,) = calls(NEWER.replace(b"cuda", backend.encode()))
    assert str(one.key) == f"{PATH} [{backend}, base-b-test-1-gpu-large]"
    assert (one.est_time, one.est_refusal) == (13.0, None)


def test_several_stages_of_a_file_are_several_keys() -> None:
    found = calls(NEWER + NEWER.replace(b"1-gpu-large", b"4-gpu-b200") + b'register_amd_ci(2, suite="stage-b-amd")\n')
    assert [one.key.suite for one in found] == ["base-b-test-1-gpu-large", "base-b-test-4-gpu-b200", "stage-b-amd"]
    assert [one.est_refusal for one in found] == [None] * 3


def test_a_folded_suite_that_another_call_names_is_ambiguous() -> None:
    found = calls(NEWER + b'register_cuda_ci(est_time=5, suite="base-b-test-1-gpu-large")\n')
    assert {one.est_refusal for one in found} == {EditRefusal.AMBIGUOUS_KEY}


@pytest.mark.parametrize(
    "arguments",
    [
        'stage="s"',
        'runner_config="r"',
        'stage="s", runner_config="r", suite="x"',
        'stage=S, runner_config="r"',
        'stage="s", runner_config=f"{r}"',
        "in_process_group='g'",
    ],
)
def test_half_a_pair_or_a_computed_one_is_no_suite(arguments: str) -> None:
    assert refused(f"register_cuda_ci(est_time=5, {arguments})  # stage=\n".encode()) == [EditRefusal.SUITE_NOT_LITERAL]


def test_a_bundled_file_is_read_and_its_literal_refused() -> None:
    raw = b'register_cuda_ci(est_time=13, stage="s", runner_config="r", in_process_group="fast")\n'
    (one,) = calls(raw)
    assert one.est_refusal is EditRefusal.MEASURED_AS_BUNDLE
    result = apply(PATH, raw, [LiteralChange(PATH, BLOB, 0, 20)])
    assert (result.edit, [x.reason for x in result.refused]) == (None, [EditRefusal.MEASURED_AS_BUNDLE])
    (alone,) = calls(raw.replace(b'"fast"', b"None"))
    assert alone.est_refusal is None


def test_hardware_is_read_from_older_and_newer_calls() -> None:
    (older,) = calls(b'register_cuda_ci(5, "s", labels=["a"], hardware=["hopper", "blackwell", X])\n')
    (newer,) = calls(b'register_cuda_ci(5, stage="s", runner_config="r", hardware=("hopper",))\n')
    assert (older.hardware, newer.hardware) == (("hopper", "blackwell"), ("hopper",))


# ------------------------------------------------------------------- files of estimates

YAML_EXAMPLES = [
    pytest.param(form, one, id=f"{name}: {one.example.title}")
    for name, form in YAML_FORMS.items()
    for one in form.EXAMPLES
]


@pytest.mark.parametrize(("form", "one"), YAML_EXAMPLES)
def test_every_form_does_what_its_examples_show(form: object, one: YamlExample) -> None:
    path, example = TestPath(one.section.file), one.example
    dialects = Dialects(Registrations(yaml=(one.section,)))
    change = LiteralChange(path, BLOB, example.index, example.est_time)
    result = apply(path, example.before, [change], dialects)
    assert result.refused == ()
    assert result.edit is not None
    assert (result.edit.path, result.edit.after) == (path, example.after)
    assert check(example.before, example.after, [change], dialects.of(path, example.before)) is None


def test_every_dialect_and_form_has_examples() -> None:
    assert all(dialect.EXAMPLES for dialect in (*REGISTRATIONS.values(), *YAML_FORMS.values()))


def test_one_value_changes_and_comments_and_dead_keys_stay() -> None:
    result = written(R26, (0, 700))
    assert result.edit is not None
    assert result.edit.after == R26.replace(b"600", b"700")


def test_an_entry_is_the_registration_of_its_test_and_stands_in_its_own_file() -> None:
    first, second = times(R26, MAPPING.model_copy(update={"suite": "one-card", "backend": "npu"})).registrations
    assert str(first.key) == "tests/a/test_emu.py [npu, one-card]"
    assert (first.file, first.est_line, first.est_text, first.label_refusal) == (
        TIMES,
        2,
        "600",
        EditRefusal.NO_LABEL_LIST,
    )
    assert (second.file, second.est_line) == (TIMES, 4)


def test_a_file_and_a_part_of_it_are_different_keys() -> None:
    found = times(b"estimated_times:\n  a.py::x: 5\n  a.py: 50\n").registrations
    assert [one.key.path for one in found] == ["a.py::x", "a.py"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("'600'", EditRefusal.EST_TIME_NOT_LITERAL),
        ("&a 600", EditRefusal.EST_TIME_NOT_LITERAL),
        ("!!int 600", EditRefusal.EST_TIME_NOT_LITERAL),
        ("[600]", EditRefusal.EST_TIME_NOT_LITERAL),
        ("0600", EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("1_000", EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("1:30", EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("true", EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("-5", EditRefusal.EST_TIME_NOT_A_NUMBER),
        ("", EditRefusal.EST_TIME_NOT_A_NUMBER),
        (".inf", EditRefusal.EST_TIME_NOT_A_NUMBER),
    ],
)
def test_what_is_no_plain_number_is_refused_and_the_rest_goes_on(value: str, reason: EditRefusal) -> None:
    raw = f"estimated_times:\n  a.py: {value}\n  b.py: 300\n".encode()
    first, second = times(raw).registrations
    assert (first.est_refusal, second.est_refusal) == (reason, None)
    result = written(raw, (0, 700), (1, 400))
    assert [x.reason for x in result.refused] == [reason]
    assert result.edit is not None
    assert result.edit.after == raw.replace(b"300", b"400")


def test_an_alias_is_not_written_through() -> None:
    raw = b"x: &slow 600\nestimated_times:\n  a.py: *slow\n  b.py: 60\n"
    found = {one.key.path: one.est_refusal for one in times(raw).registrations}
    assert found == {"a.py": EditRefusal.EST_TIME_NOT_LITERAL, "b.py": None}


def test_a_key_given_twice_is_ambiguous() -> None:
    found = times(b"estimated_times:\n  a.py: 5\n  a.py: 6\n  b.py: 7\n").registrations
    assert [one.est_refusal for one in found] == [EditRefusal.AMBIGUOUS_KEY, EditRefusal.AMBIGUOUS_KEY, None]


def test_one_test_in_two_lists_has_two_keys_and_in_one_list_twice_none() -> None:
    raw = b"a:\n- {name: t.py, estimated_time: 5}\nb:\n- {name: t.py, estimated_time: 6}\n"
    assert [(one.key.suite, one.est_refusal) for one in times(raw, LISTS).registrations] == [("a", None), ("b", None)]
    twice = times(raw.replace(b"b:\n", b""), LISTS).registrations
    assert [one.est_refusal for one in twice] == [EditRefusal.AMBIGUOUS_KEY] * 2


def test_a_skipped_item_is_disabled() -> None:
    (one,) = times(b"a:\n- {name: t.py, estimated_time: 0, is_skipped: true}\n", LISTS).registrations
    assert (one.disabled, one.active) == ("is_skipped", False)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"other: 1\n", EditRefusal.SECTION_MISSING),
        (b"estimated_times: 5\n", EditRefusal.SECTION_MISSING),
        (b"", EditRefusal.SECTION_MISSING),
        (b"a: [\n", EditRefusal.UNKNOWN_GRAMMAR),
        (b"estimated_times: " + b"[" * 5000, EditRefusal.UNKNOWN_GRAMMAR),
        (b"\xff: 1\n", EditRefusal.UNDECODABLE),
        (b"#" * (MAX_YAML_BYTES + 1), EditRefusal.FILE_TOO_LARGE),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole_by_name(raw: bytes, reason: EditRefusal) -> None:
    source = times(raw)
    assert (source.registrations, [(x.line, x.reason) for x in source.refused]) == ((), [(0, reason)])
    assert [x.reason for x in written(raw, (0, 5)).refused] == [reason]


def test_a_configured_file_below_github_is_read_and_never_written() -> None:
    path = TestPath(".github/workflows/scripts/times.yaml")
    section = YamlRegistrations(file=path, key="estimated_times")
    dialects = Dialects(Registrations(yaml=(section,)))
    assert in_scope({path: TreeEntry(BLOB, "100644")}, ("**",), dialects.yaml_files) == {
        path: TreeEntry(BLOB, "100644")
    }
    assert {one.est_refusal for one in read_one(path, BLOB, R26, dialects).registrations} == {
        EditRefusal.PROTECTED_PATH
    }
    assert apply(path, R26, [LiteralChange(path, BLOB, 0, 700)], dialects).edit is None


def test_an_entry_whose_file_is_gone_is_refused_by_name() -> None:
    raw = b"estimated_times:\n  a.py: 5\n  a.py::x: 6\n  gone.py: 7\n"
    (source,) = with_gone_files([times(raw)], {TestPath("a.py"): TreeEntry(BLOB, "100644")})
    assert [one.est_refusal for one in source.registrations] == [None, None, EditRefusal.TEST_FILE_GONE]


def test_labels_of_an_entry_are_refused() -> None:
    result = apply(TIMES, R26, [LiteralChange(TIMES, BLOB, 0, 700, ("a",))], Dialects(Registrations(yaml=(MAPPING,))))
    assert [x.reason for x in result.refused] == [EditRefusal.NO_LABEL_LIST]
    assert result.edit is not None
    assert result.edit.after == R26.replace(b"600", b"700")


def test_the_check_sees_a_change_outside_the_number() -> None:
    dialect = YamlDialect(YAML_FORMS["yaml_mapping"], MAPPING)
    change = LiteralChange(TIMES, BLOB, 0, 700)
    good = R26.replace(b"600", b"700")
    assert check(R26, good, [change], dialect) is None
    for bad in (good.replace(b"cold", b"warm"), good.replace(b"300", b"310"), good + b"\n", R26):
        assert check(R26, bad, [change], dialect) is not None


# ----------------------------------------------------------------------- for any bytes

QUICK = settings(max_examples=120, deadline=None, derandomize=True)
LINE = st.sampled_from(
    [
        "",
        "# note, 5 s",
        "estimated_times:",
        "  tests/a.py: 60",
        "  'tests/b.py': 6_0",
        '  "tests/c.py" : 300 # why',
        "  tests/a.py::x: 5",
        "  caf\xe9.py: 12.5",
        "---",
        "  ? tests/d.py\n  : 7",
        "e2e-one:",
        "- name: tests/a.py",
        "  estimated_time: 66",
        "- {name: tests/b.py, estimated_time: 5}",
        "  is_skipped: true",
        "\t",
        "x: &a [1, {b: *a}]",
        "  {",
        "text: |\n   tests/a.py: 60",
    ]
)


@QUICK
@given(
    st.lists(LINE, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([b"", codecs.BOM_UTF8]),
    st.sampled_from([MAPPING, LISTS]),
    st.integers(1, 9999),
)
def test_an_edit_of_a_file_of_estimates_changes_one_number_and_reads_back(
    lines: list[str], newline: str, bom: bytes, section: YamlRegistrations, value: int
) -> None:
    raw = bom + newline.join(lines).replace("\n", newline).encode()
    source = times(raw, section)
    for one in source.registrations:
        result = written(raw, (one.index, value), section=section)
        if one.est_refusal:
            assert result.edit is None
        elif value != one.est_time:
            assert result.refused == ()
            assert result.edit is not None
            again = times(result.edit.after, section).registrations
            assert [x.est_time for x in again] == [
                value if x.index == one.index else x.est_time for x in source.registrations
            ]
            assert len(result.edit.after) - len(raw) == len(str(value)) - len(one.est_text)


@QUICK
@given(st.lists(LINE, max_size=14), st.sampled_from([MAPPING, LISTS]))
def test_rewriting_nothing_gives_the_same_bytes(lines: list[str], section: YamlRegistrations) -> None:
    raw = "\n".join(lines).encode()
    dialect = Dialects(Registrations(yaml=(section,))).of(TIMES, raw)
    assert dialect is not None
    nothing = [LiteralChange(TIMES, BLOB, one.index) for one in dialect.literals(raw)]
    assert dialect.rewrite(raw, nothing).raw == raw
    whole = [one for one in times(raw, section).registrations if one.est_time and one.est_time.is_integer()]
    assert written(raw, *((one.index, int(one.est_time)) for one in whole), section=section).edit is None


@QUICK
@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_make_a_reader_fail(raw: bytes) -> None:
    for content in (raw, R26 + raw, b"estimated_times:\n  a.py: " + raw, NEWER + raw):
        for section in (MAPPING, LISTS):
            assert all(one.source == TIMES for one in times(content, section).registrations)
            written(content, (0, 7), section=section)
        assert isinstance(staged_call.read(PATH, BLOB, content), SourceRegistrations)
        apply(PATH, content, [LiteralChange(PATH, BLOB, 0, 7)])
