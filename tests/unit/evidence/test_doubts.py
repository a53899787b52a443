from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import CommitSha, Doubt, Job, JobEvidence, JobId, JobLog, LogState, RunId, ScheduledFile, Status
from bot.evidence.doubts import with_doubts

STAMP = "2026-08-04T18:43:39.8212454Z "


def scheduled(path: str, first: int, last: int, **more: object) -> ScheduledFile:
    values: dict[str, object] = {
        "run_id": RunId(1),
        "attempt": 1,
        "head_sha": CommitSha("a" * 40),
        "job_id": JobId(7),
        "job_name": "s",
        "suite": "s",
        "backend": "cuda",
        "partition_id": 0,
        "partition_size": 1,
        "plan_index": first,
        "path": path,
        "status": Status.PASSED,
        "elapsed_s": 10,
        "logged_est_s": 60.0,
        "plan_line": 1,
        "timing_line": last,
        "tries": 1,
    }
    return ScheduledFile(**{**values, **more})  # type: ignore[arg-type]


def told(tmp_path: Path, lines: list[str], *rows: ScheduledFile) -> list[tuple[Doubt | None, int | None]]:
    path = tmp_path / "job.log"
    path.write_text("".join(f"{STAMP}{line}\n" for line in lines), encoding="utf-8")
    job = JobEvidence(JobLog(Job(JobId(7), "s", 1, "success"), LogState.PRESENT, path=str(path)), rows=rows)
    return [(row.doubt, row.doubt_line) for row in with_doubts(job, path).rows]


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("1 error in 902.11s", Doubt.ERRORS),
        ("=== 6 skipped in 3.11s ===", Doubt.SKIPPED),
        ("\x1b[33m============ \x1b[33m\x1b[1m6 skipped\x1b[0m\x1b[33m in 3.11s\x1b[0m\x1b[33m ============\x1b[0m",
         Doubt.SKIPPED),
        ("=========== no tests ran in 0.02s ===========", Doubt.NO_TESTS),
        ("==== 3 deselected in 0.10s ====", Doubt.NO_TESTS),
        ("=== 2 failed, 3 passed, 1 warning in 61.40s (0:01:01) ===", Doubt.ERRORS),
        ("=== 3 passed, 6 skipped in 61.40s (0:01:01) ===", None),
        ("=== 2 xfailed, 1 skipped in 3.00s ===", None),
        ("Ran 0 tests in 0.000s", Doubt.NO_TESTS),
        ("FAILED (errors=1)", Doubt.ERRORS),
        ("the model said: 1 error in 902.11s", None),
        ("loss 0.1 error in 3 steps", None),
    ],
)  # fmt: skip
def test_g23_g24_what_a_summary_says_against_a_pass(tmp_path: Path, said: str, doubt: Doubt | None) -> None:
    (found,) = told(tmp_path, ["Begin (0/0):", "output", said, "End (0/0):", "timing"], scheduled("a", 1, 5))
    assert found == (doubt, 3 if doubt else None)


def test_unittest_tells_skips_from_a_run_by_their_number(tmp_path: Path) -> None:
    row = scheduled("a", 1, 5)
    assert told(tmp_path, ["x", "Ran 6 tests in 0.010s", "", "OK (skipped=6)"], row) == [(Doubt.SKIPPED, 4)]
    assert told(tmp_path, ["x", "Ran 6 tests in 0.010s", "", "OK (skipped=5)"], row) == [(None, None)]


def test_a_skipped_session_beside_one_that_ran_is_no_doubt(tmp_path: Path) -> None:
    lines = ["x", "=== 6 skipped in 3.11s ===", "=== 4 passed in 300.00s ==="]
    assert told(tmp_path, lines, scheduled("a", 1, 5)) == [(None, None)]


def test_each_file_answers_for_its_own_lines_alone(tmp_path: Path) -> None:
    lines = [
        "plan",
        "=== 1 skipped in 1.00s ===",
        "End",
        "=== 4 passed in 3.00s ===",
        "End",
        "=== 1 error in 1.00s ===",
    ]
    rows = (scheduled("a", 2, 3), scheduled("b", 4, 5))
    assert told(tmp_path, lines, *rows) == [(Doubt.SKIPPED, 2), (None, None)]


def test_of_a_retry_the_last_summary_counts(tmp_path: Path) -> None:
    lines = ["plan", "=== 1 failed in 9.00s ===", "=== 4 passed in 9.00s ===", "End"]
    assert told(tmp_path, lines, scheduled("a", 2, 4, tries=2)) == [(None, None)]
    assert told(tmp_path, lines, scheduled("a", 2, 4)) == [(Doubt.ERRORS, 2)]


def test_a_file_that_did_not_pass_has_no_doubt(tmp_path: Path) -> None:
    row = replace(scheduled("a", 1, 3), status=Status.FAILED)
    assert told(tmp_path, ["x", "=== 1 error in 1.00s ===", "End"], row) == [(None, None)]


def test_lines_are_counted_across_blocks_and_long_ones_passed_over(tmp_path: Path) -> None:
    lines = ["y" * 90_000, *["noise"] * 60_000, " error " * 200, "=== 6 skipped in 3.11s ===", "End"]
    assert told(tmp_path, lines, scheduled("a", 1, len(lines))) == [(Doubt.SKIPPED, len(lines) - 1)]
