"""Two files' matrices shared out: every level in both, every cell in one, the cheapest first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.matrix import MOST_CELLS, SPLITS_TOLD, split_matrices
from bot.calibration.policies import policy_from
from bot.domain import Matrix, MatrixAnswer, MatrixRefusal, RefusedMatrix, SweptFile, TestPath
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import key, registration

STRICT = policy_from(DEFAULT.estimate, "strict")
SQUARE = (("a1", "a", 1), ("b1", "b", 1), ("a2", "a", 2), ("b2", "b", 2))


def swept(path: str, rows: tuple[tuple[str | int, ...], ...], parts: tuple[int, ...], gpus: int = 0) -> SweptFile:
    call = registration(2400, key(path))
    return SweptFile(Matrix(TestPath(path), "_CONFIGS", 3, rows), call, parts, sum(parts) + 7, gpus)


def answered(first: SweptFile, second: SweptFile) -> MatrixAnswer:
    found = split_matrices(first, second, STRICT)
    assert isinstance(found, MatrixAnswer)
    return found


def test_the_public_pairing_and_the_cheaper_one() -> None:
    """The slowest parts of two nights of the GLM5 LoRA files (radixark/miles pull request 2214 chose the diagonals)."""
    first = swept("x", SQUARE, (522, 423, 414, 463), gpus=8)
    second = swept("y", SQUARE, (481, 456, 438, 444), gpus=4)
    cheap, public = answered(first, second).splits
    assert [(kept.rows, kept.seconds, kept.literal) for kept in cheap.kept] == [
        ((1, 2), 837, 1100),
        ((0, 3), 925, 1200),
    ]
    assert [(kept.rows, kept.seconds, kept.literal) for kept in public.kept] == [
        ((0, 3), 985, 1300),
        ((1, 2), 894, 1200),
    ]
    assert public.saved_s == first.whole_s + second.whole_s - 985 - 894
    assert public.saved_gpu_s == (first.whole_s - 985) * 8 + (second.whole_s - 894) * 4


def test_rows_may_stand_in_another_order_and_under_other_names() -> None:
    second = swept("y", tuple((f"other {name}", *levels) for name, *levels in reversed(SQUARE)), (4, 3, 2, 1))
    for split in answered(swept("x", SQUARE, (1, 2, 3, 4)), second).splits:
        cells = {SQUARE[i][1:] for i in split.kept[0].rows} | {second.matrix.rows[i][1:] for i in split.kept[1].rows}
        assert cells == {row[1:] for row in SQUARE}


def test_where_a_suite_names_no_gpus_seconds_decide_and_no_gpu_seconds_are_claimed() -> None:
    found = answered(swept("x", SQUARE, (522, 423, 414, 463), gpus=8), swept("y", SQUARE, (481, 456, 438, 444)))
    assert [split.saved_gpu_s for split in found.splits] == [None, None]


LINE = (("one", "a"), ("two", "b"))


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (swept("x", SQUARE, (1,) * 4), swept("x", SQUARE, (1,) * 4), MatrixRefusal.SAME_FILE),
        (swept("x", SQUARE, (1,) * 4), swept("y", LINE, (1, 1)), MatrixRefusal.DIFFERENT_CELLS),
        (swept("x", LINE, (1, 1)), swept("y", LINE, (1, 1)), MatrixRefusal.NO_SPLIT),
        (swept("x", (*LINE, ("three", "a")), (1,) * 3), swept("y", LINE, (1, 1)), MatrixRefusal.DIFFERENT_CELLS),
        (
            swept("x", tuple((f"n{i}", i) for i in range(MOST_CELLS + 1)), (1,) * (MOST_CELLS + 1)),
            swept("y", tuple((f"n{i}", i) for i in range(MOST_CELLS + 1)), (1,) * (MOST_CELLS + 1)),
            MatrixRefusal.TOO_LARGE,
        ),
    ],
)
def test_a_question_without_an_answer_has_its_reason(
    first: SweptFile, second: SweptFile, reason: MatrixRefusal
) -> None:
    found = split_matrices(first, second, STRICT)
    assert isinstance(found, RefusedMatrix)
    assert found.reason is reason


def test_many_splits_are_cut_to_the_cheapest_and_counted() -> None:
    rows = tuple((f"{a}{b}", a, b) for a in "abc" for b in (1, 2, 3))
    found = answered(swept("x", rows, tuple(range(1, 10))), swept("y", rows, tuple(range(9, 0, -1))))
    assert len(found.splits) == SPLITS_TOLD
    assert found.left_out > 0
    costs = [sum(kept.seconds for kept in split.kept) for split in found.splits]
    assert costs == sorted(costs)


_ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans()), min_size=2, max_size=7, unique=True
)


@given(_ROWS)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_every_split_keeps_every_level_in_both_and_every_cell_once(cells: list[tuple[str, str, bool]]) -> None:
    rows = tuple((f"row {i}", *cell) for i, cell in enumerate(cells))
    parts = tuple(range(1, len(rows) + 1))
    found = split_matrices(swept("x", rows, parts), swept("y", rows[::-1], parts), STRICT)
    if isinstance(found, RefusedMatrix):
        assert found.reason is MatrixRefusal.NO_SPLIT
        return
    for split in found.splits:
        kept = [
            [file.matrix.rows[i][1:] for i in half.rows] for file, half in zip(found.files, split.kept, strict=True)
        ]
        assert sorted(kept[0] + kept[1]) == sorted(cells)
        for half in kept:
            assert [set(levels) for levels in zip(*half, strict=True)] == [
                set(levels) for levels in zip(*cells, strict=True)
            ]
