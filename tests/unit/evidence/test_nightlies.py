"""The measured nightlies: every row of nine attempts as their expected.json has it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bot.domain import (
    Backend,
    BlobSha,
    Identity,
    IdentityCheck,
    LogNote,
    LogState,
    Registration,
    RegistrationKey,
    RunEvidence,
    ScheduledFile,
    SourceRegistrations,
    Suite,
    TestPath,
)
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job, run_evidence
from bot.evidence.carried import mark_carried
from bot.evidence.collect import collect
from bot.evidence.histories import histories
from bot.evidence.registry import registry
from bot.evidence.samples import Base, judge, pairs_to_check

ATTEMPTS = [
    "A-30754322985/attempt-1",
    "B-30926155662/attempt-1",
    "C-31862426780/attempt-1",
    "D-31932513930/attempt-1",
    "E-31011946207/attempt-1",
    "E-31011946207/attempt-2",
    "F1-31098211730/attempt-1",
    "F2-31270884190/attempt-1",
    "F3-31442530966/attempt-1",
]
ROWS = {"A": 64, "B": 72, "C": 83, "D": 28, "E": 72 + 75, "F1": 76, "F2": 77, "F3": 77}


def _read(directories: list[Path]) -> tuple[RunEvidence, ...]:
    source = ArtifactSource(directories)
    held = []
    for run in source.runs:
        logs = asyncio.run(collect(source, run, at_once=4))
        held.append(run_evidence(run, [read_job(run, log) for log in logs]))
    return mark_carried(held)


def _expected(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "expected.json").read_text())


def _ours(row: ScheduledFile) -> tuple[object, ...]:
    return (row.job_name, row.suite, row.partition_id, row.partition_size, row.status.value, row.elapsed_s,
            row.logged_est_s, row.tries, row.plan_line, row.summary_line, row.timing_line, row.status_line)  # fmt: skip


def _theirs(row: dict[str, Any]) -> tuple[object, ...]:
    last = row["attempts"][-1] if row["attempts"] else {}
    return (row["job_name"], row["suite"], row["partition_id"], row["partition_size"], row["status"], row["elapsed_s"],
            row["logged_est_s"], len(row["attempts"]), row["plan_line"], row["summary_line"], last.get("timing_line"),
            last.get("status_line"))  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_every_row_agrees_with_the_expected_one(shared_data: Path, attempt: str) -> None:
    directory = shared_data / "nightlies" / attempt
    (evidence,) = _read([directory])
    expected = _expected(directory)
    ours = {(row.job_id, row.path): _ours(row) for row in evidence.rows}
    assert len(ours) == len(evidence.rows)
    assert ours == {(row["job_id"], row["test_file"]): _theirs(row) for row in expected["rows"]}


def test_the_rows_are_all_624(shared_data: Path) -> None:
    counted = [len(_expected(shared_data / "nightlies" / attempt)["rows"]) for attempt in ATTEMPTS]
    assert sum(counted) == sum(ROWS.values()) == 624


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_jobs_without_a_plan_and_disabled_tests_are_told(shared_data: Path, attempt: str) -> None:
    directory = shared_data / "nightlies" / attempt
    (evidence,) = _read([directory])
    expected = _expected(directory)
    unplanned = [job.log.job.name for job in evidence.jobs if LogNote.NO_PLAN in job.notes]
    assert unplanned == expected["jobs_without_a_plan"]
    disabled = {job.log.job.name: list(job.plan.disabled) for job in evidence.jobs if job.plan and job.plan.disabled}
    named = expected["skipped_disabled"]
    assert {name: paths for name, paths in disabled.items() if name in named} == named


@pytest.mark.parametrize(("attempt", "differs"), [(one, one[0] in "CD") for one in ATTEMPTS])
def test_tested_commit_differs_where_the_run_is_a_release_or_a_pull_request(
    shared_data: Path, attempt: str, differs: bool
) -> None:
    (evidence,) = _read([shared_data / "nightlies" / attempt])
    tested = {job.tested_sha for job in evidence.jobs if job.rows}
    assert (evidence.run.head_sha not in tested) is differs
    assert len(tested) == 1


def test_carried_over_jobs_count_once_under_the_first_attempt(shared_data: Path) -> None:
    directories = [shared_data / "nightlies" / "E-31011946207" / f"attempt-{i}" for i in (2, 1)]
    first, second = _read(directories)
    expected = set(_expected(directories[0])["carried_over_jobs"])
    carried = {job.log.job.job_id: job.carried_from for job in second.jobs if job.carried_from and job.plan}
    assert set(carried) == expected
    assert len(expected) == 12
    assert not any(job.carried_from for job in first.jobs)
    by_id = {job.log.job.job_id: job for job in first.jobs}
    assert all(by_id[source].log.job.name == job.log.job.name for job in second.jobs
               if (source := job.carried_from) is not None)  # fmt: skip


def test_two_nights_give_the_known_maxima_of_the_lora_files(shared_data: Path) -> None:
    nightlies = shared_data / "nightlies"
    runs = _read([nightlies / attempt for attempt in ATTEMPTS[:2]])
    calls = registry(_registrations(nightlies / "registrations-98eec31.json"))
    pairs = pairs_to_check(runs, calls)
    same = {pair: IdentityCheck(*pair, Identity.IDENTICAL, None, None) for pair in pairs}
    found = histories(judge(runs, Base(calls, same, frozenset(one.run.head_sha for one in runs))))
    slowest = {key.path: max(x.elapsed_s for x in held.samples) for key, held in found.items() if held.samples}
    lora = {path.rsplit("/")[-1]: seconds for path, seconds in slowest.items() if path.endswith("_lora_ci.py")}
    assert lora == {
        "test_gpt_oss_20b_moe_lora_ci.py": 1192,
        "test_qwen3_5_35b_a3b_lora_ci.py": 966,
        "test_inkling_small_4layer_lora_ci.py": 568,
        "test_glm5_1_744b_a40b_6layer_lora_ci.py": 1829,
        "test_glm5_2_744b_a40b_5layer_lora_ci.py": 1827,
    }


def _registrations(path: Path) -> list[SourceRegistrations]:
    files = json.loads(path.read_text())["files"]
    blob = BlobSha("0" * 40)
    return [
        SourceRegistrations(
            TestPath(file["path"]), blob, tuple(_call(file["path"], call) for call in file["registrations"])
        )
        for file in files
    ]


def _call(path: str, call: dict[str, Any]) -> Registration:
    key = RegistrationKey(TestPath(path), Backend(call["backend"]), Suite(call["suite"]))
    line, est = call["line"], call["est_time"]
    return Registration(key, BlobSha("0" * 40), 0, line, line, line, float(est), est, disabled=call["disabled"])


def test_runs_are_dated_by_their_earliest_job_over_all_attempts(shared_data: Path) -> None:
    source = ArtifactSource([shared_data / "nightlies" / "E-31011946207" / f"attempt-{i}" for i in (1, 2)])
    api = json.loads((shared_data / "nightlies" / "E-31011946207" / "api" / "run.json").read_text())
    told = {run.created_at.isoformat()[:16] for run in source.runs if run.created_at}
    assert told == {api["created_at"][:16]}


def test_skipped_jobs_never_had_a_log_and_make_nothing_partial(shared_data: Path) -> None:
    (evidence,) = _read([shared_data / "nightlies" / ATTEMPTS[0]])
    states = [job.log.state for job in evidence.jobs]
    assert (states.count(LogState.PRESENT), states.count(LogState.NEVER)) == (19, 15)
    assert evidence.partial == frozenset()
