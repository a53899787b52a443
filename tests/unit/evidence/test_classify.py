"""What one log proves of one file, where its records do not say the same."""

from __future__ import annotations

from bot.domain import (
    Backend,
    CommitSha,
    FileRecord,
    Job,
    JobId,
    JobLog,
    LogState,
    Outcome,
    ParsedLog,
    Plan,
    PlannedFile,
    Run,
    RunId,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
    Try,
)
from bot.evidence.classify import RowNote, classify

PATH = TestPath("tests/e2e/zoo/test_otter.py")
RUN = Run("acme/zoo", RunId(1), 1, CommitSha("a" * 40))
LOG = JobLog(Job(JobId(1), "zoo-2gpu / run", 1, "success"), LogState.PRESENT)
PLAN = Plan(Suite("zoo-2gpu"), Backend("cuda"), 0, 1, 1, (PlannedFile(PATH, 400.0, 2),))


def only_row(one: Try) -> ScheduledFile:
    record = FileRecord((one,), begun=1, passed_line=9)
    parsed = ParsedLog("suite_runner", plan=PLAN, records={PATH: record}, summary_line=8)
    (found,) = classify(RUN, LOG, parsed).rows
    return found


def test_a_pass_without_an_end_record_is_no_proof_of_a_time() -> None:
    found = only_row(Try(1, Outcome.PASS, status_elapsed_s=310, status_line=5))
    assert (found.status, found.elapsed_s, found.note) == (Status.UNKNOWN, None, RowNote.NO_END)


def test_a_listed_pass_with_both_records_takes_what_the_end_record_says() -> None:
    found = only_row(Try(1, Outcome.PASS, 311, 310, timing_line=4, status_line=5))
    assert (found.status, found.elapsed_s, found.note) == (Status.PASSED, 311, "")
