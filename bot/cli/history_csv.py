"""A repository's history as CSV and back: one line a scheduled file of each job. Opens no file.

Whole evidence can be made of it again, but for jobs without rows. Cells that a spreadsheet would
run as formulas get a leading apostrophe, which is taken away again. `reason` is what the newest
evaluation said; it is read back by nobody.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain import (
    Backend,
    CommitSha,
    Doubt,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    LogState,
    Plan,
    PlannedFile,
    RepositoryId,
    Run,
    RunEvidence,
    RunId,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
)
from bot.errors import UserError
from bot.publish.evidence_csv import guarded
from bot.records import Repository, RowFacts

RUN_COLUMNS = (
    *("repository_id", "repository", "run_id", "run_attempt", "created_at", "started_at", "event", "head_branch"),
    *("workflow", "conclusion", "trusted", "measures", "head_sha", "partial_suites"),
)
JOB_COLUMNS = (
    *("job_id", "job_name", "job_attempt", "job_conclusion", "log_sha256", "dialect", "tested_sha", "carried_from"),
)
ROW_COLUMNS = (
    *("suite", "backend", "partition_id", "partition_size", "plan_index", "test_file", "status", "reason"),
    *("elapsed_s", "logged_est_s", "tries", "implicit", "runner_name", "blob_at_head", "note", "doubt"),
    *("plan_line", "timing_line", "status_line", "summary_line", "doubt_line"),
)
COLUMNS = (*RUN_COLUMNS, *JOB_COLUMNS, *ROW_COLUMNS)
MOST_ROWS = 5_000_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_SIGNED_64 = 1 << 63

Cells = Mapping[str, str]
Place = tuple[int, int, int]  # attempt, job id, plan index


class RowRefusal(StrEnum):
    """Why a line of a history was not taken."""

    COLUMNS = "columns"
    VALUE = "value"  # a cell that cannot be what its column holds


@dataclass(frozen=True, slots=True)
class Imported:
    """What a history holds: repositories by id, attempts with the blobs of their files, refused lines."""

    repositories: Mapping[RepositoryId, Repository]
    runs: tuple[tuple[RepositoryId, RunEvidence, Mapping[TestPath, str]], ...]
    refused: tuple[tuple[int, RowRefusal], ...]


def head() -> str:
    """The first line."""
    return _line(COLUMNS)


def lines(repository: Repository, evidence: RunEvidence, facts: Mapping[Place, RowFacts]) -> Iterator[str]:
    """The lines of one attempt, in job and plan order."""
    run = evidence.run
    of_run = (
        *(str(repository.repository_id), repository.full_name, str(run.run_id), str(run.attempt)),
        *(_moment(run.created_at), _moment(run.started_at), run.event, run.head_branch),
        *(run.workflow, run.conclusion, _flag(run.trusted), run.measures, run.head_sha),
        json.dumps(sorted(evidence.partial)),
    )
    for job in evidence.jobs:
        for row in job.rows:
            found = facts.get((run.attempt, row.job_id, row.plan_index), RowFacts())
            yield _line((*of_run, *_job_cells(job), *_row_cells(row, found)))


def _job_cells(evidence: JobEvidence) -> tuple[str, ...]:
    job = evidence.log.job
    return (
        *(str(job.job_id), job.name, str(job.attempt), job.conclusion, evidence.log.sha256, evidence.dialect),
        *(evidence.tested_sha or "", _number(evidence.carried_from)),
    )


def _row_cells(row: ScheduledFile, facts: RowFacts) -> tuple[str, ...]:
    return (
        *(row.suite, row.backend, str(row.partition_id), str(row.partition_size), str(row.plan_index), row.path),
        *(row.status.value, facts.reason, _number(row.elapsed_s), repr(row.logged_est_s), str(row.tries)),
        *(_flag(row.implicit), row.runner_name, facts.blob_at_head or "", row.note),
        *(row.doubt.value if row.doubt else "", str(row.plan_line), _number(row.timing_line)),
        *(_number(row.status_line), _number(row.summary_line), _number(row.doubt_line)),
    )


def read(text: Iterable[str]) -> Imported:
    """All attempts of a history, in the order of their first line.

    Raises:
        UserError: the first line does not name the columns, the text is no CSV, or it is too long.
    """
    reader = csv.DictReader(text)
    grouped: dict[tuple[RepositoryId, RunId, int], _Attempt] = {}
    repositories: dict[RepositoryId, Repository] = {}
    refused: list[tuple[int, RowRefusal]] = []
    try:
        missing = set(COLUMNS) - set(reader.fieldnames or ())
        if missing:
            raise UserError(f"history: the first line lacks the columns {', '.join(sorted(missing)[:5])}")
        for count, raw in enumerate(reader):
            if count >= MOST_ROWS:
                raise UserError(f"history: more than {MOST_ROWS} lines; split the file")
            if None in raw or None in raw.values():
                refused.append((reader.line_num, RowRefusal.COLUMNS))
                continue
            try:
                _take({name: _unguarded(raw[name]) for name in COLUMNS}, grouped, repositories)
            except (ValueError, TypeError, OverflowError):
                refused.append((reader.line_num, RowRefusal.VALUE))
    except csv.Error as error:
        raise UserError(f"history: line {reader.line_num} is no CSV: {error}") from None
    runs = tuple((key[0], one.evidence(), one.blobs) for key, one in grouped.items())
    return Imported(repositories, runs, tuple(refused))


class _Attempt:
    """One attempt while its lines are read."""

    def __init__(self, run: Run, partial: frozenset[Suite]) -> None:
        self.run = run
        self.partial = partial
        self.jobs: dict[JobId, tuple[JobEvidence, list[ScheduledFile]]] = {}
        self.blobs: dict[TestPath, str] = {}

    def evidence(self) -> RunEvidence:
        jobs = tuple(_whole(job, rows) for job, rows in self.jobs.values())
        return RunEvidence(self.run, jobs, self.partial)


def _take(
    cells: Cells,
    grouped: dict[tuple[RepositoryId, RunId, int], _Attempt],
    repositories: dict[RepositoryId, Repository],
) -> None:
    repository_id = RepositoryId(_whole_number(cells["repository_id"]))
    run, partial = _run(cells)
    job = _job(cells)
    row = _row(cells, run)
    repositories.setdefault(repository_id, Repository(repository_id, cells["measures"] or cells["repository"]))
    attempt = grouped.setdefault((repository_id, run.run_id, run.attempt), _Attempt(run, partial))
    _, rows = attempt.jobs.setdefault(job.log.job.job_id, (job, []))
    rows.append(row)
    if cells["blob_at_head"]:
        attempt.blobs[row.path] = _sha(cells["blob_at_head"])


def _run(cells: Cells) -> tuple[Run, frozenset[Suite]]:
    partial = json.loads(cells["partial_suites"])
    if not isinstance(partial, list) or not all(isinstance(one, str) for one in partial):
        raise ValueError("partial_suites")
    run = Run(
        repository=cells["repository"],
        run_id=RunId(_whole_number(cells["run_id"])),
        attempt=_whole_number(cells["run_attempt"]),
        head_sha=CommitSha(_sha(cells["head_sha"])),
        created_at=_when(cells["created_at"]),
        started_at=_when(cells["started_at"]),
        event=cells["event"],
        head_branch=cells["head_branch"],
        workflow=cells["workflow"],
        conclusion=cells["conclusion"],
        trusted=_truth(cells["trusted"]),
        measures=cells["measures"],
    )
    return run, frozenset(Suite(one) for one in partial)


def _job(cells: Cells) -> JobEvidence:
    job = Job(
        job_id=JobId(_whole_number(cells["job_id"])),
        name=cells["job_name"],
        attempt=_whole_number(cells["job_attempt"]),
        conclusion=cells["job_conclusion"],
        runner_name=cells["runner_name"],
    )
    carried = _maybe(cells["carried_from"])
    return JobEvidence(
        log=JobLog(job, LogState.PRESENT, sha256=cells["log_sha256"]),
        dialect=cells["dialect"],
        tested_sha=CommitSha(_sha(cells["tested_sha"])) if cells["tested_sha"] else None,
        carried_from=JobId(carried) if carried is not None else None,
    )


def _row(cells: Cells, run: Run) -> ScheduledFile:
    est = float(cells["logged_est_s"])
    if not 0 <= est < _SIGNED_64:
        raise ValueError("logged_est_s")
    return ScheduledFile(
        run_id=run.run_id,
        attempt=run.attempt,
        head_sha=run.head_sha,
        job_id=JobId(_whole_number(cells["job_id"])),
        job_name=cells["job_name"],
        suite=Suite(cells["suite"]),
        backend=Backend(cells["backend"]),
        partition_id=_whole_number(cells["partition_id"]),
        partition_size=_whole_number(cells["partition_size"]),
        plan_index=_whole_number(cells["plan_index"]),
        path=TestPath(_given(cells["test_file"])),
        status=Status(cells["status"]),
        elapsed_s=_maybe(cells["elapsed_s"]),
        logged_est_s=est,
        plan_line=_whole_number(cells["plan_line"]),
        timing_line=_maybe(cells["timing_line"]),
        status_line=_maybe(cells["status_line"]),
        summary_line=_maybe(cells["summary_line"]),
        tries=_whole_number(cells["tries"]),
        runner_name=cells["runner_name"],
        note=cells["note"],
        implicit=_truth(cells["implicit"]),
        doubt=Doubt(cells["doubt"]) if cells["doubt"] else None,
        doubt_line=_maybe(cells["doubt_line"]),
    )


def _whole(job: JobEvidence, rows: list[ScheduledFile]) -> JobEvidence:
    """The job with its rows, and the plan that they were scheduled by."""
    by_index = {row.plan_index: row for row in rows}
    ordered = tuple(by_index[index] for index in sorted(by_index))
    files = tuple(PlannedFile(row.path, row.logged_est_s, row.plan_line, row.implicit) for row in ordered)
    first = ordered[0]
    line = max(0, first.plan_line - 1)
    plan = Plan(first.suite, first.backend, first.partition_id, first.partition_size, line, files)
    return JobEvidence(job.log, job.dialect, plan, job.tested_sha, ordered, (), job.carried_from)


def _line(cells: Iterable[str]) -> str:
    """One line. The writer quotes what its own line end holds, so it is given both characters, and CR is taken off."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([_guarded(cell) for cell in cells])
    return out.getvalue().removesuffix("\r\n") + "\n"


def _guarded(cell: str) -> str:
    """As in evidence; a cell that begins with the apostrophe itself gets one too, so that it comes back."""
    return f"'{cell}" if cell.startswith("'") else guarded(cell)


def _unguarded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA and len(cell) > 1 else cell


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _flag(value: bool) -> str:  # noqa: FBT001 - a value to write, no switch
    return "true" if value else "false"


def _moment(value: datetime | None) -> str:
    return value.isoformat() if value else ""


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 <= int(text) < _SIGNED_64:
        raise ValueError(text)
    return int(text)


def _maybe(text: str) -> int | None:
    return _whole_number(text) if text else None


def _given(text: str) -> str:
    if not text:
        raise ValueError("empty")
    return text


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _when(text: str) -> datetime | None:
    if not text:
        return None
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("no zone")
    return found


def _sha(text: str) -> str:
    if len(text) != 40 or set(text) - set("0123456789abcdef"):
        raise ValueError(text)
    return text
