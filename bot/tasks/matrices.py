"""Two files' matrices out of an evaluation: read at the base, timed by accepted passes, shared out. Pure.

The command line asks with logs on disk, the service with the lines that were kept of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.calibration.label_totals import label_totals
from bot.calibration.limits import RowName, row_name
from bot.calibration.matrix import split_matrices
from bot.calibration.partition import gpus
from bot.calibration.policies import Policy
from bot.domain import (
    Decision,
    Evaluation,
    FileEdit,
    JobEvidence,
    LabelTotal,
    Matrix,
    MatrixAnswer,
    MatrixRefusal,
    MatrixSplit,
    RefusedMatrix,
    RowTrace,
    Sample,
    SweptFile,
    TestPath,
)
from bot.edit.matrix import keep_rows, read_matrix
from bot.tasks.gather import Gathered


@dataclass(frozen=True, slots=True)
class MatrixQuestion:
    """Two files, and what is known of them.

    `texts` holds the bytes of those that the base has as regular files; `traces` holds those of `jobs_of` at least.
    """

    paths: tuple[TestPath, TestPath]
    evaluation: Evaluation
    texts: Mapping[TestPath, bytes]
    policy: Policy
    traces: Mapping[RowName, RowTrace]


def jobs_of(evaluation: Evaluation, paths: Sequence[TestPath]) -> tuple[JobEvidence, ...]:
    """The jobs whose lines tell the times of the files' rows."""
    wanted = {one.row.job_id for decision in evaluation.decisions for one in _samples_of(decision, paths)}
    return tuple(
        job for one in evaluation.runs for job in one.jobs if job.carried_from is None and job.log.job.job_id in wanted
    )


def texts_of(gathered: Gathered, paths: Sequence[TestPath]) -> Mapping[TestPath, bytes]:
    """The bytes of the files that are regular ones at the base and were read there."""
    entries = {path: gathered.base_files[path] for path in paths if path in gathered.base_files}
    return {
        path: gathered.contents[entry.blob]
        for path, entry in entries.items()
        if entry.regular and entry.blob in gathered.contents
    }


def answer(asked: MatrixQuestion) -> MatrixAnswer | RefusedMatrix:
    """Every split of the two files, with what each makes of the labels that both carry."""
    first, second = (_swept(asked, path) for path in asked.paths)
    if isinstance(first, RefusedMatrix):
        return first
    if isinstance(second, RefusedMatrix):
        return second
    found = split_matrices(first, second, asked.policy)
    if isinstance(found, RefusedMatrix):
        return found
    return replace(found, totals=tuple(_totals(asked.evaluation, found, split) for split in found.splits))


def halved(answered: MatrixAnswer, split: MatrixSplit, gathered: Gathered) -> tuple[FileEdit, ...] | RefusedMatrix:
    """Both files with the rows of one split only; their literals stay, for nothing measured them yet."""
    edits: list[FileEdit] = []
    for file, kept in zip(answered.files, split.kept, strict=True):
        path = file.matrix.path
        entry = gathered.base_files[path]
        before = gathered.contents[entry.blob]
        after = keep_rows(before, file.matrix, kept.rows)
        if isinstance(after, RefusedMatrix):
            return after
        edits.append(FileEdit(path, before, after, (), entry.mode))
    return tuple(edits)


def _swept(asked: MatrixQuestion, path: TestPath) -> SweptFile | RefusedMatrix:
    raw = asked.texts.get(path)
    if raw is None:
        return RefusedMatrix(MatrixRefusal.NO_SUCH_FILE, path)
    matrix = read_matrix(path, raw)
    if isinstance(matrix, RefusedMatrix):
        return matrix
    decisions = [one for one in asked.evaluation.decisions if one.registration.key.path == path and one.samples]
    timed = [file for one in decisions if (file := _timed(one, matrix, asked.traces))]
    if not timed:
        return RefusedMatrix(MatrixRefusal.NOT_MEASURED, path)
    return max(timed, key=lambda file: (file.whole_s, file.registration.key))


def _timed(decision: Decision, matrix: Matrix, traces: Mapping[RowName, RowTrace]) -> SweptFile | None:
    """The slowest time of each row over the accepted passes; None where a row has none."""
    slowest: dict[str, int] = {}
    for sample in decision.samples:
        for part in traces.get(row_name(sample.row), RowTrace()).parts:
            if part.passed:
                slowest[part.name] = max(slowest.get(part.name, 0), part.elapsed_s)
    names = [str(row[0]) for row in matrix.rows]
    if any(name not in slowest for name in names):
        return None
    return SweptFile(
        matrix=matrix,
        registration=decision.registration,
        parts_s=tuple(slowest[name] for name in names),
        whole_s=max(sample.elapsed_s for sample in decision.samples),
        gpus=gpus(decision.registration.key.suite),
    )


def _samples_of(decision: Decision, paths: Sequence[TestPath]) -> Sequence[Sample]:
    return decision.samples if decision.registration.key.path in paths else ()


def _totals(evaluation: Evaluation, found: MatrixAnswer, split: MatrixSplit) -> tuple[LabelTotal, ...]:
    """The estimates of each label that both files carry, with the split's literals."""
    instead = {file.registration.key: kept.literal for file, kept in zip(found.files, split.kept, strict=True)}
    totals = label_totals(evaluation.decisions, evaluation.label_changes, instead)
    both = set.intersection(*(set(file.registration.labels or ()) for file in found.files))
    return tuple(total for total in totals if total.label in both)
