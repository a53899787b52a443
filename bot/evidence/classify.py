"""Judges what a log says of each scheduled file: one status, one timing, one note.

Pure. The precedence is docs/architecture.md's, "Evidence". Whether a passed file may be used as
evidence is `bot.evidence.samples`' part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from bot.domain import (
    Checkout,
    CommitSha,
    Contradiction,
    FileRecord,
    JobEvidence,
    JobLog,
    LogNote,
    Outcome,
    ParsedLog,
    Plan,
    PlannedFile,
    Run,
    ScheduledFile,
    Status,
    Suite,
    Try,
)
from bot.evidence.job_names import suite_of_name

MAX_DIFFERENCE_S: Final = 2  # End rounds, the status line truncates: 1 s apart is common


class RowNote(StrEnum):
    """What a person should read beside a row."""

    NONE = ""
    PASSED_ON_RETRY = "passed on retry: only the passing try counts"
    NO_SUMMARY = "an End record, but no final summary"
    SECONDS_DIFFER = "End record and status line are more than 2 s apart"
    OVERTAKEN = "another try follows a pass"
    NO_STATUS = "an End record, but no status line"
    NO_END = "a pass without an End record"
    NOT_LISTED = "a pass that the final summary does not list"
    LISTED_TWICE = "listed as passed and as failed"
    LISTED_ALONE = "listed as passed without any record"
    RECORDS_CONTRADICT = "more records than tries"
    TRIES_DIFFER = "several End records, and the final summary counts other tries"
    UNREADABLE = "the log's timing block cannot be read"
    RUNNER_RAISED = "the suite runner itself raised"
    IN_FLIGHT = "begun, never ended"
    NEVER_BEGUN = "never begun"


_BY_CONTRADICTION: Final = {
    Contradiction.TRIES_DIFFER: RowNote.TRIES_DIFFER,
    Contradiction.UNREADABLE_BLOCK: RowNote.UNREADABLE,
}


@dataclass(frozen=True, slots=True)
class _Verdict:
    status: Status
    chosen: Try | None = None
    note: RowNote = RowNote.NONE


def classify(run: Run, log: JobLog, parsed: ParsedLog | None) -> JobEvidence:
    """One job's evidence. `parsed` is None for a job without a log, or with one of no dialect."""
    if parsed is None:
        return JobEvidence(log)
    plan = _named_suite(parsed.plan, log)
    timed = plan if LogNote.NO_PER_FILE_TIMING not in parsed.notes else None
    rows = tuple(_row(run, log, parsed, timed, index) for index in range(len(timed.files))) if timed else ()
    return JobEvidence(
        log=log,
        dialect=parsed.dialect,
        plan=plan,
        tested_sha=_tested(run, parsed),
        rows=rows,
        notes=parsed.notes,
    )


def _named_suite(plan: Plan | None, log: JobLog) -> Plan | None:
    """A plan printed without its header has the suite that the job's name says."""
    if plan is None or plan.suite:
        return plan
    return replace(plan, suite=suite_of_name(log.job.name) or Suite(""))


def _tested(run: Run, parsed: ParsedLog) -> CommitSha | None:
    """The first checkout of the tested repository; other checkouts are dependencies.

    Where that is not the run's own, a checkout counts only where it names it.
    """

    def own(checkout: Checkout) -> bool:
        mine = (run.measures.lower(),) if run.measures else ("", run.repository.lower())
        return checkout.repository.lower() in mine

    return next((checkout.sha for checkout in parsed.checkouts if own(checkout)), None)


def _row(run: Run, log: JobLog, parsed: ParsedLog, plan: Plan, index: int) -> ScheduledFile:
    planned: PlannedFile = plan.files[index]
    record = parsed.records.get(planned.path, FileRecord())
    verdict = _judge(record, log.job.conclusion, summarised=parsed.summary_line is not None)
    chosen = verdict.chosen or Try(0)
    return ScheduledFile(
        run_id=run.run_id,
        attempt=run.attempt,
        head_sha=(_tested(run, parsed) or CommitSha("")) if run.measures else run.head_sha,
        job_id=log.job.job_id,
        job_name=log.job.name,
        suite=plan.suite,
        backend=plan.backend,
        partition_id=plan.partition_id,
        partition_size=plan.partition_size,
        plan_index=index,
        path=planned.path,
        status=verdict.status,
        elapsed_s=chosen.elapsed_s,
        logged_est_s=planned.est_s,
        plan_line=planned.line,
        timing_line=chosen.timing_line,
        status_line=chosen.status_line,
        summary_line=record.passed_line or record.failed_line,
        tries=len(record.tries),
        runner_name=log.job.runner_name or parsed.runner_name,
        note=verdict.note.value,
        implicit=planned.implicit,
    )


def _judge(record: FileRecord, conclusion: str, *, summarised: bool) -> _Verdict:
    """The status of one file; the first that applies in the documented order."""
    chosen = record.tries[-1] if record.tries else None
    ended = any(one.elapsed_s is not None for one in record.tries)
    doubt = _doubt(record)
    if chosen is None:
        if doubt is not RowNote.NONE:
            return _Verdict(Status.UNKNOWN, None, doubt)
        return _without_record(record, conclusion)
    if chosen.outcome is Outcome.PASS and record.passed_line and doubt is RowNote.NONE:
        return _Verdict(Status.PASSED, chosen, RowNote.PASSED_ON_RETRY if len(record.tries) > 1 else RowNote.NONE)
    if chosen.outcome is Outcome.TIMEOUT:
        return _Verdict(Status.TIMEOUT, chosen)
    if ended and not summarised:
        return _Verdict(Status.UNKNOWN, chosen, RowNote.NO_SUMMARY)
    if doubt is not RowNote.NONE:
        return _Verdict(Status.UNKNOWN, chosen, doubt)
    raised = RowNote.RUNNER_RAISED if not ended and chosen.exit_code is None else RowNote.NONE
    return _Verdict(Status.FAILED, chosen, raised)


def _doubt(record: FileRecord) -> RowNote:
    """Why the records of a file cannot all be true, `NONE` where they can."""
    last = record.tries[-1] if record.tries else None
    if record.contradiction:
        return _BY_CONTRADICTION.get(record.contradiction, RowNote.RECORDS_CONTRADICT)
    if record.passed_line and record.failed_line:
        return RowNote.LISTED_TWICE
    if last is None:
        return RowNote.LISTED_ALONE if record.passed_line else RowNote.NONE
    if any(one.outcome is Outcome.PASS for one in record.tries[:-1]):
        return RowNote.OVERTAKEN
    if last.outcome is None:
        return RowNote.NO_STATUS
    if any(_apart(one) for one in record.tries):
        return RowNote.SECONDS_DIFFER
    if last.outcome is Outcome.PASS:
        return _doubt_of_pass(record, last)
    return RowNote.LISTED_TWICE if record.passed_line else RowNote.NONE


def _doubt_of_pass(record: FileRecord, last: Try) -> RowNote:
    """What a pass lacks: its place in the final summary, or its End record, which alone measures."""
    if not record.passed_line:
        return RowNote.NOT_LISTED
    return RowNote.NO_END if last.elapsed_s is None else RowNote.NONE


def _apart(one: Try) -> bool:
    """True where End and status line of one try tell different times."""
    if one.elapsed_s is None or one.status_elapsed_s is None:
        return False
    return abs(one.elapsed_s - one.status_elapsed_s) > MAX_DIFFERENCE_S


def _without_record(record: FileRecord, conclusion: str) -> _Verdict:
    """A file without any End or status line: the job's conclusion decides."""
    if record.failed_line:
        return _Verdict(Status.FAILED)
    note = RowNote.IN_FLIGHT if record.begun else RowNote.NEVER_BEGUN
    by_conclusion = {"cancelled": Status.CANCELLED, "timed_out": Status.TIMEOUT}
    return _Verdict(by_conclusion.get(conclusion, Status.NOT_RUN), None, note)
