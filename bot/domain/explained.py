"""What a person asks a night: limits, partitions and matrices explained."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.decisions import TimeoutRule
from bot.domain.evidence import ScheduledFile, Status
from bot.domain.ids import CommitSha, JobId, RunId, TestPath
from bot.domain.partitions import LabelTotal
from bot.domain.registrations import Registration


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a test came by its own account: `done` of `total`, such as rollouts.

    `restarts` counts how often the count began again: then it is the last launch's alone.
    """

    unit: str  # the pattern's words before the numbers
    done: int
    total: int
    line: int
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """One phase as the log's perf dictionaries name it; phases may hold one another.

    `seconds` is the mean of a step, `share` its part of the whole step (of all phases where none is the step).
    """

    name: str
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class LaunchFact:
    """Something the log says about how a test was launched. `line` 0: that no line says it."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class MatrixPart:
    """One configuration of a sweep with its own time, as the test printed it."""

    name: str
    elapsed_s: int
    passed: bool
    line: int


@dataclass(frozen=True, slots=True)
class RowTrace:
    """What a test's own output says about how its time was spent. Empty where it says nothing."""

    progress: Progress | None = None
    phases: tuple[PhaseTime, ...] = ()  # the largest first
    facts: tuple[LaunchFact, ...] = ()
    parts: tuple[MatrixPart, ...] = ()


@dataclass(frozen=True, slots=True)
class PastTry:
    """One earlier or later run of the same test on the same suite."""

    run_id: RunId
    attempt: int
    job_id: JobId
    status: Status
    elapsed_s: int | None
    limit_s: int
    head_sha: CommitSha
    night_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CommitNote:
    """One commit that touched a file. `subject` is foreign text."""

    sha: CommitSha
    subject: str
    at: datetime | None = None


Constant = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A literal list of configurations that a test sweeps: `rows[i][0]` is a name, the others its levels."""

    path: TestPath
    name: str  # the variable's
    line: int
    rows: tuple[tuple[Constant, ...], ...]


class MatrixRefusal(StrEnum):
    """Why two files' matrices cannot be split between them."""

    SAME_FILE = "same_file"
    NO_SUCH_FILE = "no_such_file"  # or none that carries a registration
    NO_MATRIX = "no_matrix"  # no literal list of rows that begin with a name
    SEVERAL_MATRICES = "several_matrices"
    NOT_MEASURED = "not_measured"  # no accepted pass that printed a time for every row
    DIFFERENT_CELLS = "different_cells"  # the two do not sweep the same levels
    TOO_LARGE = "too_large"
    NO_SPLIT = "no_split"  # no half of the cells holds every level of every factor
    TOO_FEW_SAMPLES = "too_few_samples"  # the policy's estimator wants more than one value
    NOT_REMOVABLE = "not_removable"  # the rows stand so that taking some away would change more


@dataclass(frozen=True, slots=True)
class RefusedMatrix:
    """A "no" to a question about matrices, with the file it is about."""

    reason: MatrixRefusal
    path: TestPath = TestPath("")
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SweptFile:
    """A file with its matrix as it was measured: seconds of each row (the slowest), and of the whole (likewise)."""

    matrix: Matrix
    registration: Registration
    parts_s: tuple[int, ...]
    whole_s: int
    gpus: int = 0  # 0: the suite names none


@dataclass(frozen=True, slots=True)
class KeptRows:
    """What one file would keep: indices into its rows, the predicted seconds and the literal that follows."""

    rows: tuple[int, ...]
    seconds: int
    literal: int


@dataclass(frozen=True, slots=True)
class MatrixSplit:
    """One way to share the cells out: every level stays in each file, every cell stays in one of them."""

    kept: tuple[KeptRows, KeptRows]
    saved_s: int  # a night, against the slowest passes
    saved_gpu_s: int | None  # None: a suite names no GPUs


@dataclass(frozen=True, slots=True)
class MatrixAnswer:
    """All splits of two files, the cheapest first; `left_out` counts those beyond the ones that are told."""

    files: tuple[SweptFile, SweptFile]
    splits: tuple[MatrixSplit, ...]
    left_out: int = 0
    totals: tuple[tuple[LabelTotal, ...], ...] = ()  # of the labels both files carry, one entry a split


@dataclass(frozen=True, slots=True)
class MatrixPair:
    """Two files that sweep the same cells, of which the first is among the longest: a split may pay."""

    first: TestPath
    second: TestPath
    cells: int
    slowest_s: tuple[int, int | None]  # the slowest accepted pass of each


class LimitKind(StrEnum):
    """Why a row is explained."""

    TIMED_OUT = "timed_out"
    NEAR_LIMIT = "near_limit"  # it passed, within a tenth of its limit


def limit_kind(row: ScheduledFile, rule: TimeoutRule) -> LimitKind | None:
    """Why a row needs an explanation; None where it does not. The limit is that of the literal the runner read."""
    if row.status is Status.TIMEOUT:
        return LimitKind.TIMED_OUT
    if row.status is Status.PASSED and (row.elapsed_s or 0) * 10 >= rule.effective(row.logged_est_s) * 9:
        return LimitKind.NEAR_LIMIT
    return None


@dataclass(frozen=True, slots=True)
class LimitAnswer:
    """Later passes that answer a finding. `literal_s` is the rule's for the slowest of them."""

    passes: tuple[PastTry, ...]  # oldest first
    trace: RowTrace  # of the newest
    literal_s: int
    nights: int
    nights_needed: int  # that the policy wants before the literal follows
    file_changed: bool | None  # between the finding's commit and the newest pass's; None: not known


@dataclass(frozen=True, slots=True)
class LimitFinding:
    """A test that hit its limit, or passed within a tenth of it, and what the nights say about it.

    `needed_s` is what finishing would have taken at the pace it had (None: the log does not say).
    `least_s` is the least literal, in the rule's buckets, whose limit allows that; `literal_s` what the
    rule makes of a pass that long. `last_pass` is the newest earlier pass, `commits` those that touched
    the file since then (or the newest that did, where it never passed).
    """

    kind: LimitKind
    row: ScheduledFile
    limit_s: int
    trace: RowTrace
    night_at: datetime | None = None
    needed_s: int | None = None
    least_s: int | None = None
    literal_s: int | None = None
    history: tuple[PastTry, ...] = ()  # before it, newest first
    last_pass: PastTry | None = None
    commits: tuple[CommitNote, ...] = ()
    answer: LimitAnswer | None = None
