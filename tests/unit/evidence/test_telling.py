"""Traces of jobs: which lines are whose, from a log on disk and from what was kept of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import JobEvidence, LogState, RowTrace, ScheduledFile, Status, TimeoutRule, limit_kind
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job
from bot.evidence.collect import collect
from bot.evidence.spans import spans
from bot.evidence.telling import telling_lines, traces
from bot.repo_config import DEFAULT
from bot.tasks.cited import kept_bytes, merged_lines
from tests.unit.evidence.tiny_logs import NEWT, OTTER, judged, passing, plan, stamped, summary

FSDP = "tests/e2e/short/test_qwen3_0.6B_fsdp_colocated_2xGPU.py"


def on_disk(log: bytes, where: Path) -> JobEvidence:
    job = judged(log)
    path = where / "job.log"
    path.write_bytes(log)
    return replace(job, log=replace(job.log, path=str(path)))


def two_files(first: list[str], second: list[str]) -> bytes:
    otter, newt = passing(0, 2, OTTER, 310), passing(1, 2, NEWT, 200)
    return stamped(
        [
            "rollout 9/9 of nobody",
            *plan((OTTER, 400.0), (NEWT, 400.0)),
            *otter[:7],
            *first,
            *otter[7:],
            *newt[:7],
            *second,
            *newt[7:],
            *summary([OTTER, NEWT]),
            "rollout 8/9 of nobody",
        ]
    )


def traced(job: JobEvidence) -> dict[str, RowTrace]:
    found = traces(job, telling_lines(job, DEFAULT), DEFAULT)
    return {row.path: found[row.plan_index] for row in job.rows if row.plan_index in found}


def test_each_line_belongs_to_the_file_that_ran_then(tmp_path: Path) -> None:
    found = traced(on_disk(two_files(["rollout 1/4"], ["rollout 2/5"]), tmp_path))
    assert {path: trace.progress and (trace.progress.done, trace.progress.total) for path, trace in found.items()} == {
        OTTER: (1, 4),
        NEWT: (2, 5),
    }


def test_a_file_that_says_nothing_has_no_trace(tmp_path: Path) -> None:
    assert set(traced(on_disk(two_files([], ["rollout 2/5"]), tmp_path))) == {NEWT}


def test_only_the_last_try_counts(tmp_path: Path) -> None:
    lines = ["rollout 3/5", f"python3 /__w/zoo/{OTTER}", "rollout 0/5"]
    found = traced(on_disk(two_files(lines, []), tmp_path))
    assert found[OTTER].progress is not None
    assert (found[OTTER].progress.done, found[OTTER].progress.restarts) == (0, 0)


def test_a_line_of_the_test_that_ends_in_its_name_is_no_new_try(tmp_path: Path) -> None:
    found = traced(on_disk(two_files(["rollout 3/5", f"cleaning up after {OTTER}"], []), tmp_path))
    assert found[OTTER].progress is not None
    assert (found[OTTER].progress.done, found[OTTER].progress.total) == (3, 5)


def test_a_log_that_is_gone_or_was_never_there_gives_no_lines(tmp_path: Path) -> None:
    job = on_disk(two_files(["rollout 1/4"], []), tmp_path)
    Path(job.log.path).unlink()
    assert telling_lines(job, DEFAULT) == {}
    assert telling_lines(replace(job, log=replace(job.log, state=LogState.GONE)), DEFAULT) == {}
    assert telling_lines(replace(job, rows=()), DEFAULT) == {}


def test_where_timings_stand_apart_from_the_output_no_line_is_anyones(tmp_path: Path) -> None:
    job = replace(on_disk(two_files(["rollout 1/4"], []), tmp_path), dialect="structured_block")
    assert telling_lines(job, DEFAULT) == {}
    assert traces(job, {20: b"rollout 1/4"}, DEFAULT) == {}


def test_a_file_killed_without_any_record_has_what_is_left_of_the_log() -> None:
    rows = judged(two_files([], []), "timed_out").rows
    killed = replace(rows[1], status=Status.TIMEOUT, timing_line=None, status_line=None)
    first, last = spans((rows[0], killed))
    assert first.last < last.first
    assert last.row is killed
    assert last.last > 10**9


@pytest.mark.parametrize(
    ("status", "elapsed", "kind"),
    [
        (Status.TIMEOUT, 1800, "timed_out"),
        (Status.TIMEOUT, None, "timed_out"),
        (Status.PASSED, 1620, "near_limit"),
        (Status.PASSED, 1619, None),
        (Status.FAILED, 1799, None),
    ],
)
def test_a_pass_within_a_tenth_of_its_limit_is_near(status: Status, elapsed: int | None, kind: str | None) -> None:
    row = replace(judged(two_files([], [])).rows[0], status=status, elapsed_s=elapsed)
    assert limit_kind(row, TimeoutRule()) == kind


def jobs_of(attempt: Path) -> list[JobEvidence]:
    source = ArtifactSource([attempt])
    (run,) = source.runs
    return [read_job(run, log) for log in asyncio.run(collect(source, run, 1))]


def row_of(jobs: list[JobEvidence], path: str) -> tuple[JobEvidence, ScheduledFile]:
    ((job, row),) = [(job, row) for job in jobs for row in job.rows if row.path == path]
    return job, row


def test_run_c_was_killed_at_44_of_60_rollouts_and_says_why(shared_data: Path) -> None:
    job, row = row_of(jobs_of(shared_data / "nightlies/C-31862426780/attempt-1"), FSDP)
    trace = traces(job, telling_lines(job, DEFAULT), DEFAULT)[row.plan_index]
    assert (row.status, row.elapsed_s) == (Status.TIMEOUT, 3750)
    assert trace.progress is not None
    assert (trace.progress.unit, trace.progress.done, trace.progress.total) == ("rollout", 44, 60)
    assert {fact.name: fact.value for fact in trace.facts} == {
        "rollouts": "60",
        "global batch": "256",
        "dynamic batching": "off",
        "num_microbatches_per_rank": "128",
    }
    shares = {phase.name: phase.share for phase in trace.phases}
    assert (shares["actor_train"], shares["rollout"]) == (0.735, 0.217)


def test_kept_lines_of_every_shared_log_tell_the_same_and_stay_small(shared_data: Path) -> None:
    """What the service keeps of a night is enough when the logs are gone."""
    for attempt in ("A-30754322985/attempt-1", "C-31862426780/attempt-1", "D-31932513930/attempt-1"):
        jobs = [job for job in jobs_of(shared_data / "nightlies" / attempt) if job.rows]
        lines = {job.log.job.job_id: telling_lines(job, DEFAULT) for job in jobs}
        kept = merged_lines({}, lines)
        for job in jobs:
            of_log = traces(job, lines[job.log.job.job_id], DEFAULT)
            assert traces(job, kept_bytes(kept.get(job.log.job.job_id, {})), DEFAULT) == of_log
        assert sum(len(raw) for found in lines.values() for raw in found.values()) < 128 * 1024
