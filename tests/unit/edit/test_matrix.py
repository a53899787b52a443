"""Rows go from the one list, and nothing else does."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import Matrix, MatrixRefusal, RefusedMatrix, TestPath
from bot.edit.matrix import keep_rows, read_matrix, removed_only

PATH = TestPath("tests/e2e/zoo/test_otter.py")
HEAD = b'"""Sweeps."""\nregister_cuda_ci(est_time=60, suite="s", labels=["a"])\n\n'
LIST = b"""_CONFIGS = [
    ("one", "a", True),  # slow
    # the fast ones
    ("two", "b", True),
    ("three", "a", False),
]
"""
TAIL = b"\nfor name, kind, flag in _CONFIGS:\n    run(name)\n"


def matrix(raw: bytes) -> Matrix:
    found = read_matrix(PATH, raw)
    assert isinstance(found, Matrix)
    return found


def kept(raw: bytes, *rows: int) -> bytes:
    found = keep_rows(raw, matrix(raw), rows)
    assert isinstance(found, bytes)
    return found


def test_a_list_of_names_and_levels_is_a_matrix() -> None:
    found = matrix(HEAD + LIST + TAIL)
    assert (found.name, found.line) == ("_CONFIGS", 4)
    assert found.rows == (("one", "a", True), ("two", "b", True), ("three", "a", False))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"x = 1\n", MatrixRefusal.NO_MATRIX),
        (b"", MatrixRefusal.NO_MATRIX),
        (b"\xff\xfe\n", MatrixRefusal.NO_MATRIX),
        (b"def f(:\n", MatrixRefusal.NO_MATRIX),
        (b'_C = [("one", "a")]\n', MatrixRefusal.NO_MATRIX),  # one row is no sweep
        (b'_C = [("one", "a"), ("two", other)]\n', MatrixRefusal.NO_MATRIX),
        (b'_C = [("one", "a"), ("one", "b")]\n', MatrixRefusal.NO_MATRIX),  # which one printed a time is not known
        (b'_C = [("one", "a"), ("two", "b", 1)]\n', MatrixRefusal.NO_MATRIX),
        (b'_C = [("one",), ("two",)]\n', MatrixRefusal.NO_MATRIX),
        (b'_C = [(1, "a"), (2, "b")]\n', MatrixRefusal.NO_MATRIX),
        (b'_C = [("one", "a"), *more]\n', MatrixRefusal.NO_MATRIX),
        (b'if x:\n    _C = [("one", "a"), ("two", "b")]\n', MatrixRefusal.NO_MATRIX),
        (b'_C = [("one", 1), ("two", 2)]\n_D = [("one", 1), ("two", 2)]\n', MatrixRefusal.SEVERAL_MATRICES),
    ],
)
def test_anything_else_is_none_and_says_so(text: bytes, reason: MatrixRefusal) -> None:
    found = read_matrix(PATH, text)
    assert isinstance(found, RefusedMatrix)
    assert (found.reason, found.path) == (reason, PATH)


def test_a_row_goes_with_its_line_and_the_comment_behind_it() -> None:
    assert kept(HEAD + LIST + TAIL, 1, 2) == HEAD + LIST.replace(b'    ("one", "a", True),  # slow\n', b"") + TAIL
    assert kept(HEAD + LIST + TAIL, 0) == (
        HEAD + b'_CONFIGS = [\n    ("one", "a", True),  # slow\n    # the fast ones\n]\n' + TAIL
    )


@pytest.mark.parametrize(
    ("before", "rows", "after"),
    [
        (b'_C = [("a", 1), ("b", 2), ("c", 3)]\n', (0, 2), b'_C = [("a", 1), ("c", 3)]\n'),
        (b'_C = [("a", 1), ("b", 2), ("c", 3)]\n', (0, 1), b'_C = [("a", 1), ("b", 2)]\n'),
        (b'_C = [("a", 1), ("b", 2), ("c", 3)]\n', (2,), b'_C = [("c", 3)]\n'),
        (b'_C = [("a", 1), ("b", 2), ("c", 3)]\n', (0,), b'_C = [("a", 1)]\n'),
        (b'_C = [("a", 1), ("b", 2), ("c", 3), ("d", 4)]\n', (1,), b'_C = [("b", 2)]\n'),
        (b'_C: list = [("a", 1), ("b", 2),]\r\nx = 1\r\n', (0,), b'_C: list = [("a", 1), ]\r\nx = 1\r\n'),
        (b'_C = [\n\t("a", 1),\n\t("b", 2)\n]', (0,), b'_C = [\n\t("a", 1),\n]'),
        (b'_C = [\n  (\n    "a",\n    1,\n  ),\n  ("b", 2),\n]\n', (1,), b'_C = [\n  ("b", 2),\n]\n'),
        (
            b'\xef\xbb\xbf_C = (("\xe6\xb0\xb4", 1), ("b", 2), ("c", 3))\n',
            (0, 1),
            b'\xef\xbb\xbf_C = (("\xe6\xb0\xb4", 1), ("b", 2))\n',
        ),
        (b'_C = [\r\n  ("a", 1),\r\n  ("b", 2),\r\n]\r\n', (1,), b'_C = [\r\n  ("b", 2),\r\n]\r\n'),
    ],
)
def test_every_layout_keeps_what_is_not_the_row(before: bytes, rows: tuple[int, ...], after: bytes) -> None:
    assert kept(before, *rows) == after


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b'_C = [(("a", 1)), (("b", 2))]\n', (1,)),  # brackets of its own around the row
        (b'_C = (("a", 1), ("b", 2))\n', (0,)),  # one row in round brackets would be that row itself
        (b'_C = [("a", 1) # x\n , ("b", 2)]\n', (1,)),
        (b'_C = [("a", 1),  # x\n  ("b", 2)]\n', (0,)),  # a comment would go with it
        (b'_C = [("a", 1), ("b", 2)]\n', ()),
    ],
)
def test_what_cannot_be_cut_out_plainly_is_refused(text: bytes, rows: tuple[int, ...]) -> None:
    found = keep_rows(text, matrix(text), rows)
    assert isinstance(found, RefusedMatrix)
    assert found.reason is MatrixRefusal.NOT_REMOVABLE


def test_a_matrix_of_another_version_is_refused() -> None:
    found = keep_rows(HEAD + LIST, matrix(b'_C = [("a", 1), ("b", 2)]\n'), (0,))
    assert isinstance(found, RefusedMatrix)


@pytest.mark.parametrize(
    "after",
    [
        HEAD + LIST + TAIL,  # nothing removed
        HEAD.replace(b"60", b"70") + LIST.replace(b'    ("two", "b", True),\n', b"") + TAIL,
        HEAD + LIST.replace(b'    ("two", "b", True),\n', b"    # gone\n") + TAIL,
        HEAD + LIST.replace(b'    ("two", "b", True),\n', b"").replace(b'"three"', b'"drei"') + TAIL,
        HEAD + LIST.replace(b'    ("two", "b", True),\n', b"") + TAIL + b"more = 1\n",
        b"\xef\xbb\xbf" + HEAD + LIST.replace(b'    ("two", "b", True),\n', b"") + TAIL,
        b"def f(:\n",
    ],
)
def test_the_proof_notices_anything_more_than_the_removal(after: bytes) -> None:
    before = HEAD + LIST + TAIL
    good = HEAD + LIST.replace(b'    ("two", "b", True),\n', b"") + TAIL
    assert removed_only(before, good, matrix(before), (0, 2)) is None
    assert removed_only(before, after, matrix(before), (0, 2)) is not None


_ROW = st.tuples(
    st.sampled_from(['"a"', "'b'", "1", "None", "True", '"\u6c34"']), st.sampled_from([", ", ",", ",\n        "])
)
_SEPARATOR = st.sampled_from([", ", ",\n    ", ",  # note, (with) brackets\n    ", " , ", ",\n\n    # above\n    "])


@given(
    st.lists(st.tuples(_ROW, _SEPARATOR), min_size=2, max_size=5), st.sets(st.integers(0, 4), min_size=1), st.booleans()
)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_whatever_the_layout_the_rows_that_stay_are_the_ones_asked_for(
    rows: list[tuple[tuple[str, str], str]], asked: set[int], trailing: bool
) -> None:
    """Or it is refused; never anything else."""
    shown = [f'("row {i}"{comma}{level})' for i, ((level, comma), _) in enumerate(rows)]
    body = "".join(row + gap for row, (_, gap) in zip(shown[:-1], rows, strict=False)) + shown[-1]
    raw = f"x = 1\n_C = [\n    {body}{',' if trailing else ''}\n]\ny = 2\n".encode()
    stay = sorted(i for i in asked if i < len(rows))
    found = keep_rows(raw, matrix(raw), stay) if stay else raw
    if isinstance(found, bytes) and stay:
        left = ast.parse(found).body[1]
        assert isinstance(left, ast.Assign)
        assert [item[0] for item in ast.literal_eval(left.value)] == [f"row {i}" for i in stay]
        assert found.startswith(b"x = 1\n_C = [")
        assert found.endswith(b"]\ny = 2\n")
