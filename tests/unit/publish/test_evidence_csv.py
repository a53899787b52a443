"""`evidence.csv` to the byte."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import EditRefusal, JobId, LiteralChange, RefusedEdit, RejectionReason, RunId, Status, TestPath
from bot.publish.evidence_csv import COLUMNS, evidence_csv, evidence_rows, guarded, number
from tests.unit.publish.evaluations import (
    blob,
    evaluation,
    job,
    proposal,
    registration,
    rejection,
    run,
    sample,
    scheduled,
    small,
)

ONE, A, C, D = "1" * 40, "a" * 40, "c" * 40, "d" * 40
HEAD_LINE = (
    "workflow_run_id,job_id,job_name,suite,partition_id,partition_size,test_file,status,elapsed_s,logged_est_s,"
    "current_est_s,proposed_est_s,action,source_log,timing_line,status_line,note,"
    "run_attempt,backend,head_sha,blob_at_head,blob_at_base,identity,runner_name\n"
)
JOB_7 = "11,7,stage-q-4-gpu (0) / run,stage-q-4-gpu,0,2,"
JOB_8 = "11,8,stage-q-4-gpu (0) / run,stage-q-4-gpu,1,2,"
LOG_7, LOG_8 = "jobs/7/job-7.log", "jobs/8/job-8.log"
GOLDEN = (
    HEAD_LINE
    + f"{JOB_7}tests/zoo/test_otter.py,passed,310,400,400,800,raise,{LOG_7},10,11,,"
    + f"1,cuda,{ONE},{A},{A},identical,host-1\n"
    + f"{JOB_7}tests/zoo/test_panda.py,passed,160,200,200,200,keep,{LOG_7},10,11,,"
    + f"1,cuda,{ONE},,,identical,host-1\n"
    + f"{JOB_7}tests/zoo/test_lynx.py,passed,80,400,400,100,keep,{LOG_7},10,11,passed on try 2; held:too_few_nights,"
    + f"1,cuda,{ONE},,,identical,host-1\n"
    + f"{JOB_7}tests/zoo/test_wolf.py,passed,90,400,400,,skip,{LOG_7},10,11,unused:changed,"
    + f"1,cuda,{ONE},{C},{D},changed,host-1\n"
    + f"{JOB_8}tests/zoo/test_newt.py,timeout,1800,400,1200.5,,skip,{LOG_8},10,11,,1,cuda,{ONE},,,,host-1\n"
    + f'{JOB_8}"tests/zoo/test_toad, old.py",not_run,,60.5,,,skip,{LOG_8},,10,,1,cuda,{ONE},,,,host-1\n'
)


def cells(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode(), newline="")))


def test_a_small_evaluation_gives_exactly_these_bytes() -> None:
    assert evidence_csv(small()).decode() == GOLDEN


def test_the_first_seventeen_columns_are_those_of_existing_readers() -> None:
    assert ",".join(COLUMNS[:17]) == (
        "workflow_run_id,job_id,job_name,suite,partition_id,partition_size,test_file,status,elapsed_s,logged_est_s,"
        "current_est_s,proposed_est_s,action,source_log,timing_line,status_line,note"
    )


def test_the_order_in_which_runs_jobs_and_samples_come_changes_no_byte() -> None:
    given_ = small()
    turned = replace(
        given_,
        runs=tuple(replace(item, jobs=item.jobs[::-1]) for item in given_.runs[::-1]),
        samples=given_.samples[::-1],
        rejections=given_.rejections[::-1],
        decisions=given_.decisions[::-1],
    )
    assert evidence_csv(turned) == evidence_csv(given_)


def test_rows_stand_by_run_attempt_suite_partition_and_plan_order() -> None:
    rows = [
        scheduled("b.py", run_id=RunId(2), job_id=JobId(1)),
        scheduled("a.py", run_id=RunId(2), job_id=JobId(2), attempt=2),
        scheduled("c.py", run_id=RunId(10), job_id=JobId(3), partition_id=1),
        scheduled("e.py", run_id=RunId(10), job_id=JobId(4), plan_index=1),
        scheduled("d.py", run_id=RunId(10), job_id=JobId(4), plan_index=0),
    ]
    runs = (run(10, job(3, rows[2]), job(4, rows[3], rows[4])), run(2, job(2, rows[1]), job(1, rows[0])))
    assert [row["test_file"] for row in cells(evidence_csv(evaluation(*runs)))] == [
        "b.py",
        "a.py",
        "d.py",
        "e.py",
        "c.py",
    ]


def test_a_carried_over_job_whose_original_is_not_given_keeps_its_rows() -> None:
    again = scheduled("a.py", attempt=2, job_id=JobId(9))
    found = cells(evidence_csv(evaluation(run(11, job(9, again, carried_from=JobId(7)), attempt=2))))
    assert [(row["job_id"], row["run_attempt"]) for row in found] == [("9", "2")]


def test_with_edits_off_a_proposal_is_report_only_and_its_value_still_shown() -> None:
    found = cells(evidence_csv(replace(small(), report_only="the run is a pull request's")))
    assert [(row["action"], row["proposed_est_s"]) for row in found[:3]] == [
        ("report_only", "800"),
        ("keep", "200"),
        ("keep", "100"),
    ]


@pytest.mark.parametrize(
    ("reason", "action"),
    [
        (RejectionReason.UNTRUSTED_RUN, "report_only"),
        (RejectionReason.TESTED_SHA_DIFFERS, "report_only"),
        (RejectionReason.HEAD_NOT_IN_BASE, "report_only"),
        (RejectionReason.CHANGED, "skip"),
        (RejectionReason.OUTSIDE_WINDOW, "skip"),
    ],
)
def test_passes_of_a_run_that_only_reports_make_their_key_report_only(reason: RejectionReason, action: str) -> None:
    row = scheduled("a.py")
    (found,) = cells(evidence_csv(evaluation(run(11, job(7, row)), rejections=(rejection(row, reason),))))
    assert (found["action"], found["proposed_est_s"], found["note"]) == (action, "", f"unused:{reason.value}")


def test_an_edit_that_was_refused_is_a_skip_with_its_reason() -> None:
    row = scheduled("a.py")
    used = sample(row)
    refused = RefusedEdit(LiteralChange(TestPath("a.py"), blob("a"), 0, est_time=800), EditRefusal.EDIT_CHECK_FAILED)
    (found,) = cells(
        evidence_csv(
            evaluation(
                run(11, job(7, row)),
                samples=(used,),
                decisions=(proposal(registration("a.py"), 800, used),),
                refused_edits=(refused,),
            )
        )
    )
    assert (found["action"], found["proposed_est_s"], found["note"]) == ("skip", "", "refused:edit_check_failed")


@pytest.mark.parametrize(
    ("value", "text"), [(400.0, "400"), (400, "400"), (60.5, "60.5"), (None, ""), (0.0, "0"), (1e300, "1e+300")]
)
def test_integers_have_no_fraction_and_other_numbers_are_exact(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_that_a_spreadsheet_would_run_gets_a_quote(start: str) -> None:
    assert guarded(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"
    row = scheduled(f"{start}HYPERLINK(1)")
    (found,) = cells(evidence_csv(evaluation(run(11, job(7, row)))))
    assert found["test_file"] == f"'{start}HYPERLINK(1)"


HOSTILE = st.text(min_size=1, max_size=30)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(names=st.lists(HOSTILE, min_size=1, max_size=4), note=HOSTILE, suite=HOSTILE)
def test_any_names_come_back_from_the_csv_as_the_rows_they_were(names: list[str], note: str, suite: str) -> None:
    rows = [
        scheduled(name, plan_index=place, note=note, suite=suite, status=Status.FAILED)
        for place, name in enumerate(names)
    ]
    given_ = evaluation(run(11, job(7, *rows)))
    raw = evidence_csv(given_)
    read = list(csv.reader(io.StringIO(raw.decode(), newline="")))
    assert [tuple(row) for row in read[1:]] == list(evidence_rows(given_))
    assert [row[6].removeprefix("'") for row in read[1:]] == [name.removeprefix("'") for name in names]


def test_a_lone_surrogate_in_a_name_is_spelled_out_and_breaks_nothing() -> None:
    assert b"tests/\\udc80.py" in evidence_csv(evaluation(run(11, job(7, scheduled("tests/\udc80.py")))))
