"""A history's lines, from evidence. Reading them is `bot.cli.history_csv.reading`'s part."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping

from bot.cli.history_csv import cells as cell
from bot.cli.history_csv.columns import COLUMNS
from bot.domain import JobEvidence, RunEvidence, ScheduledFile
from bot.records.measurements import RowFacts
from bot.records.repositories import Repository

Place = tuple[int, int, int]  # attempt, job id, plan index


def head() -> str:
    """The first line."""
    return _line(COLUMNS)


def lines(repository: Repository, evidence: RunEvidence, facts: Mapping[Place, RowFacts]) -> Iterator[str]:
    """The lines of one attempt, in job and plan order."""
    run = evidence.run
    of_run = (
        *(str(repository.repository_id), repository.full_name, str(run.run_id), str(run.attempt)),
        *(cell.moment(run.created_at), cell.moment(run.started_at), run.event, run.head_branch),
        *(run.workflow, run.conclusion, cell.flag(run.trusted), run.measures, run.head_sha),
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
        *(evidence.tested_sha or "", cell.number(evidence.carried_from)),
    )


def _row_cells(row: ScheduledFile, facts: RowFacts) -> tuple[str, ...]:
    return (
        *(row.suite, row.backend, str(row.partition_id), str(row.partition_size), str(row.plan_index), row.path),
        *(row.status.value, facts.reason, cell.number(row.elapsed_s), repr(row.logged_est_s), str(row.tries)),
        *(cell.flag(row.implicit), row.runner_name, facts.blob_at_head or "", row.note),
        *(row.doubt.value if row.doubt else "", str(row.plan_line), cell.number(row.timing_line)),
        *(cell.number(row.status_line), cell.number(row.summary_line), cell.number(row.doubt_line)),
    )


def _line(texts: Iterable[str]) -> str:
    """One line. The writer quotes what its own line end holds, so it is given both characters, and CR is taken off."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([cell.guarded_cell(text) for text in texts])
    return out.getvalue().removesuffix("\r\n") + "\n"
