"""Evidence, from a history's lines: a line that cannot be used is refused by name, and the rest is taken."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.cli.history_csv import cells as cell
from bot.cli.history_csv.columns import COLUMNS
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
from bot.records.repositories import Repository

MOST_ROWS = 5_000_000

Cells = Mapping[str, str]


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
            names = ", ".join(sorted(missing)[:5])
            raise UserError(f"the first line lacks the columns {names}; give what `recalibrate history export` wrote")
        for count, raw in enumerate(reader):
            if count >= MOST_ROWS:
                raise UserError(f"more than {MOST_ROWS} lines; split the file")
            if None in raw or None in raw.values():
                refused.append((reader.line_num, RowRefusal.COLUMNS))
                continue
            try:
                _take({name: cell.unguarded(raw[name]) for name in COLUMNS}, grouped, repositories)
            except (ValueError, TypeError, OverflowError, RecursionError):
                refused.append((reader.line_num, RowRefusal.VALUE))
    except csv.Error as error:
        raise UserError(f"line {reader.line_num} is no CSV: {error}") from None
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
    repository_id = RepositoryId(cell.whole_number(cells["repository_id"]))
    run, partial = _run(cells)
    job = _job(cells)
    row = _row(cells, run)
    repositories.setdefault(repository_id, Repository(repository_id, cells["measures"] or cells["repository"]))
    attempt = grouped.setdefault((repository_id, run.run_id, run.attempt), _Attempt(run, partial))
    _, rows = attempt.jobs.setdefault(job.log.job.job_id, (job, []))
    rows.append(row)
    if cells["blob_at_head"]:
        attempt.blobs[row.path] = cell.sha(cells["blob_at_head"])


def _run(cells: Cells) -> tuple[Run, frozenset[Suite]]:
    partial = json.loads(cells["partial_suites"])
    if not isinstance(partial, list) or not all(isinstance(one, str) for one in partial):
        raise ValueError("partial_suites")
    run = Run(
        repository=cells["repository"],
        run_id=RunId(cell.whole_number(cells["run_id"])),
        attempt=cell.whole_number(cells["run_attempt"]),
        head_sha=CommitSha(cell.sha(cells["head_sha"])),
        created_at=cell.when(cells["created_at"]),
        started_at=cell.when(cells["started_at"]),
        event=cells["event"],
        head_branch=cells["head_branch"],
        workflow=cells["workflow"],
        conclusion=cells["conclusion"],
        trusted=cell.truth(cells["trusted"]),
        measures=cells["measures"],
    )
    return run, frozenset(Suite(one) for one in partial)


def _job(cells: Cells) -> JobEvidence:
    job = Job(
        job_id=JobId(cell.whole_number(cells["job_id"])),
        name=cells["job_name"],
        attempt=cell.whole_number(cells["job_attempt"]),
        conclusion=cells["job_conclusion"],
        runner_name=cells["runner_name"],
    )
    carried = cell.maybe(cells["carried_from"])
    return JobEvidence(
        log=JobLog(job, LogState.PRESENT, sha256=cells["log_sha256"]),
        dialect=cells["dialect"],
        tested_sha=CommitSha(cell.sha(cells["tested_sha"])) if cells["tested_sha"] else None,
        carried_from=JobId(carried) if carried is not None else None,
    )


def _row(cells: Cells, run: Run) -> ScheduledFile:
    est = float(cells["logged_est_s"])
    if not 0 <= est < cell.SIGNED_64:
        raise ValueError("logged_est_s")
    return ScheduledFile(
        run_id=run.run_id,
        attempt=run.attempt,
        head_sha=run.head_sha,
        job_id=JobId(cell.whole_number(cells["job_id"])),
        job_name=cells["job_name"],
        suite=Suite(cells["suite"]),
        backend=Backend(cells["backend"]),
        partition_id=cell.whole_number(cells["partition_id"]),
        partition_size=cell.whole_number(cells["partition_size"]),
        plan_index=cell.whole_number(cells["plan_index"]),
        path=TestPath(cell.given(cells["test_file"])),
        status=Status(cells["status"]),
        elapsed_s=cell.maybe(cells["elapsed_s"]),
        logged_est_s=est,
        plan_line=cell.whole_number(cells["plan_line"]),
        timing_line=cell.maybe(cells["timing_line"]),
        status_line=cell.maybe(cells["status_line"]),
        summary_line=cell.maybe(cells["summary_line"]),
        tries=cell.whole_number(cells["tries"]),
        runner_name=cells["runner_name"],
        note=cells["note"],
        implicit=cell.truth(cells["implicit"]),
        doubt=Doubt(cells["doubt"]) if cells["doubt"] else None,
        doubt_line=cell.maybe(cells["doubt_line"]),
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
