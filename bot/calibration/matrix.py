"""Shares the cells of a matrix that two tests sweep out between them: every split that pays, the cheapest first.

Each file still sees every level of every factor, and the pair still covers every cell; what is lost is
that a cell runs in one of the files only. That is for a person to accept: nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from bot.calibration.estimators import ESTIMATORS
from bot.calibration.policies import Policy
from bot.domain import (
    Constant,
    KeptRows,
    Matrix,
    MatrixAnswer,
    MatrixRefusal,
    MatrixSplit,
    RefusedMatrix,
    SweptFile,
)

MOST_CELLS = 14  # 16,384 subsets
SPLITS_TOLD = 20

Cell = tuple[Constant, ...]


def split_matrices(first: SweptFile, second: SweptFile, policy: Policy) -> MatrixAnswer | RefusedMatrix:
    """Every split of the two files' cells, by predicted GPU-seconds (seconds where a suite names no GPUs)."""
    refused = _refused(first, second)
    if refused:
        return refused
    splits: list[MatrixSplit] = []
    for mine, theirs in _shares(first, second):
        split = _split((first, second), (mine, theirs), policy)
        if split is None:
            return RefusedMatrix(MatrixRefusal.TOO_FEW_SAMPLES, first.matrix.path, policy.method)
        splits.append(split)
    if not splits:
        return RefusedMatrix(MatrixRefusal.NO_SPLIT, first.matrix.path)
    files = (first, second)
    splits.sort(key=lambda split: (_cost(split, files), split.kept[0].rows))
    return MatrixAnswer(files, tuple(splits[:SPLITS_TOLD]), len(splits[SPLITS_TOLD:]))


def can_be_shared(matrix: Matrix) -> bool:
    """True where two files that sweep these cells could share them out at all."""
    cells = tuple(row[1:] for row in matrix.rows)
    return len(set(cells)) == len(cells) <= MOST_CELLS and any(True for _ in _halves(cells))


def _refused(first: SweptFile, second: SweptFile) -> RefusedMatrix | None:
    if first.matrix.path == second.matrix.path:
        return RefusedMatrix(MatrixRefusal.SAME_FILE, first.matrix.path)
    for file in (first, second):
        if len(set(_cells(file))) < len(_cells(file)):
            return RefusedMatrix(MatrixRefusal.DIFFERENT_CELLS, file.matrix.path, "one cell stands there twice")
    if set(_cells(first)) != set(_cells(second)):
        return RefusedMatrix(MatrixRefusal.DIFFERENT_CELLS, second.matrix.path)
    if len(_cells(first)) > MOST_CELLS:
        return RefusedMatrix(MatrixRefusal.TOO_LARGE, first.matrix.path, f"{len(_cells(first))} cells")
    return None


def _cells(file: SweptFile) -> tuple[Cell, ...]:
    """The levels of each row, without its name."""
    return tuple(row[1:] for row in file.matrix.rows)


def _shares(first: SweptFile, second: SweptFile) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Rows of the first and of the second file, of every split in which both see all levels."""
    place = {cell: i for i, cell in enumerate(_cells(second))}
    for mine, left in _halves(_cells(first)):
        yield mine, tuple(sorted(place[cell] for cell in left))


def _halves(cells: Sequence[Cell]) -> Iterator[tuple[tuple[int, ...], tuple[Cell, ...]]]:
    """Which cells the one takes, by index, and which are left, wherever both hold every level of every factor."""
    factors = [set(levels) for levels in zip(*cells, strict=True)]
    for count in range(1, len(cells)):
        for mine in combinations(range(len(cells)), count):
            left = tuple(cell for i, cell in enumerate(cells) if i not in mine)
            if _sees_all([cells[i] for i in mine], factors) and _sees_all(left, factors):
                yield mine, left


def _sees_all(cells: Sequence[Cell], factors: Sequence[set[Constant]]) -> bool:
    return [set(levels) for levels in zip(*cells, strict=True)] == list(factors)


def _split(
    files: tuple[SweptFile, SweptFile], rows: tuple[tuple[int, ...], tuple[int, ...]], policy: Policy
) -> MatrixSplit | None:
    mine, theirs = _kept(files[0], rows[0], policy), _kept(files[1], rows[1], policy)
    if mine is None or theirs is None:
        return None
    saved = [file.whole_s - kept.seconds for file, kept in zip(files, (mine, theirs), strict=True)]
    gpu = sum(seconds * file.gpus for seconds, file in zip(saved, files, strict=True))
    return MatrixSplit((mine, theirs), sum(saved), gpu if all(file.gpus for file in files) else None)


def _kept(file: SweptFile, rows: tuple[int, ...], policy: Policy) -> KeptRows | None:
    seconds = sum(file.parts_s[row] for row in rows)
    computed = ESTIMATORS[policy.estimator].compute([float(seconds)], policy.params)
    return KeptRows(rows, seconds, computed.value_s) if computed else None


def _cost(split: MatrixSplit, files: tuple[SweptFile, SweptFile]) -> int:
    weights = [file.gpus for file in files] if all(file.gpus for file in files) else [1, 1]
    return sum(kept.seconds * weight for kept, weight in zip(split.kept, weights, strict=True))
