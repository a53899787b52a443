"""What splitting two files' matrices would save, as Markdown: the parts, every split, and what has to hold.

Computing splits, and removing rows, happen elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.domain import KeptRows, LabelTotal, MatrixAnswer, MatrixRefusal, MatrixSplit, RefusedMatrix, SweptFile
from bot.publish.body_changes import arrow
from bot.publish.budget import BODY_LIMIT, Block, assemble
from bot.publish.evidence_csv import number
from bot.publish.markdown import code, plural, prose, row, table_head
from bot.publish.wording import words

_LABELS_SHOWN = 5
MATRIX: Mapping[MatrixRefusal, str] = {
    MatrixRefusal.SAME_FILE: "the two files are one",
    MatrixRefusal.NO_SUCH_FILE: "no file of the base that carries a registration",
    MatrixRefusal.NO_MATRIX: "no literal list of configurations, each a name and its levels, was found",
    MatrixRefusal.SEVERAL_MATRICES: "several lists of configurations: which one is swept is not known",
    MatrixRefusal.NOT_MEASURED: "no accepted pass printed a time for every configuration",
    MatrixRefusal.DIFFERENT_CELLS: "the two files do not sweep the same cells",
    MatrixRefusal.TOO_LARGE: "more cells than splits can be tried for",
    MatrixRefusal.NO_SPLIT: "in no split does each file still see every level of every factor",
    MatrixRefusal.TOO_FEW_SAMPLES: "the policy's estimator wants more than one value",
    MatrixRefusal.NOT_REMOVABLE: "rows cannot be taken out of the list without touching anything else",
}


def matrix_report(answer: MatrixAnswer, limit: int = BODY_LIMIT) -> str:
    """The whole text, at most `limit` bytes."""
    first, second = answer.files
    head = (
        f"### {code(first.matrix.path)} and {code(second.matrix.path)}\n\n"
        "Both sweep the same cells. In each split below either file still sees every level of every factor, and the "
        "two together still cover every cell. Seconds are the slowest of each part in accepted passes; "
        f"time outside the parts ({_outside(first)} s and {_outside(second)} s) is not counted.\n\n"
    )
    columns = ("#", "First keeps", ">Seconds", ">Literal", "Second keeps", ">Seconds", ">Literal", ">Saved a night")
    splits = tuple(_split_row(i, split, answer.files) for i, split in enumerate(answer.splits, start=1))
    left_out = f"\n{plural(answer.left_out, 'dearer split')} not shown.\n" if answer.left_out else ""
    blocks = (
        Block(head + table_head(("Cell", ">First", ">Second")), _parts(answer.files), "\n"),
        Block(table_head((*columns, ">GPU-seconds saved")), splits, left_out + "\n"),
        Block("", tuple(_totals(i, totals) for i, totals in enumerate(answer.totals, start=1) if totals), "\n"),
        Block(_assumption(answer)),
    )
    return assemble(blocks, limit)


def matrix_refusal(refused: RefusedMatrix) -> str:
    """A "no" in one sentence."""
    path = f"{code(refused.path)}: " if refused.path else ""
    return f"{path}{words(MATRIX, refused.reason)}{f' ({prose(refused.detail)})' if refused.detail else ''}."


def _outside(file: SweptFile) -> int:
    return max(file.whole_s - sum(file.parts_s), 0)


def _parts(files: tuple[SweptFile, SweptFile]) -> tuple[str, ...]:
    first, second = files
    theirs = {item[1:]: seconds for item, seconds in zip(second.matrix.rows, second.parts_s, strict=True)}
    rows = [
        row((code(str(item[0])), f"{seconds} s", f"{theirs[item[1:]]} s"))
        for item, seconds in zip(first.matrix.rows, first.parts_s, strict=True)
    ]
    literals = (f"{file.whole_s} s (literal {number(file.registration.est_time)})" for file in files)
    return (*rows, row(("The whole, slowest pass", *literals)))


def _split_row(place: int, split: MatrixSplit, files: tuple[SweptFile, SweptFile]) -> str:
    cells = [cell for file, kept in zip(files, split.kept, strict=True) for cell in _kept_cells(file, kept)]
    gpu = "-" if split.saved_gpu_s is None else str(split.saved_gpu_s)
    return row((str(place), *cells, f"{split.saved_s} s", gpu))


def _kept_cells(file: SweptFile, kept: KeptRows) -> tuple[str, str, str]:
    names = ", ".join(code(str(file.matrix.rows[i][0])) for i in kept.rows)
    return names, f"{kept.seconds} s", str(kept.literal)


def _totals(place: int, totals: Sequence[LabelTotal]) -> str:
    shown = ", ".join(
        f"{code(one.label, 80)} {arrow(number(round(one.before_s)), number(round(one.after_s)), ' s')}"
        for one in totals[:_LABELS_SHOWN]
    )
    return f"- Split {place}, estimates of a label's tests together, with the other proposals: {shown}.\n"


def _assumption(answer: MatrixAnswer) -> str:
    """What a person accepts with a split."""
    first, second = answer.files
    return (
        "**What has to hold.** Each cell then runs in one of the two files only: a fault that needs both the cell and "
        f"the model, hardware or path of the other file is no longer seen. {code(first.registration.key.suite)} and "
        f"{code(second.registration.key.suite)} must be equivalent for the purpose of these cells. "
        "The predicted seconds assume that a part takes as long without its neighbours as with them. "
        "The literals follow by themselves once the halves are measured; only the lists are for a person to edit.\n"
    )
