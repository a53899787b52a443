"""Damaged and strange input: the file or suite concerned gets its status, everything else goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.sandbox.generator import Generated
from tests.stages.road import Outcome, git, local, rewrite_json, rewrite_log

Nights = tuple[Path, ...]


def _jobs(made: Generated, night: int = 0) -> list[int]:
    """Job ids of a night whose suites have rows, in order."""
    return sorted({row.job_id for row in made.runs[night].rows})


def _by_job(outcome: Outcome, night: int, made: Generated) -> dict[int, list[dict[str, str]]]:
    found: dict[int, list[dict[str, str]]] = {}
    for row in outcome.rows:
        if row["workflow_run_id"] == str(made.runs[night].run_id):
            found.setdefault(int(row["job_id"]), []).append(row)
    return found


def _untouched(made: Generated, before: Outcome, after: Outcome, job: int) -> bool:
    """True where every row of the other jobs says the same of what happened."""
    told = [
        [(r["job_id"], r["test_file"], r["status"], r["elapsed_s"]) for r in one.rows if r["job_id"] != str(job)]
        for one in (before, after)
    ]
    return told[0] == told[1] and len(told[0]) > 0


def test_a_plan_without_a_run_leaves_its_files_not_run(made: Generated, nights: Nights, tmp_path: Path) -> None:
    before = local(made.repository, "main", nights, tmp_path / "before")
    job = _jobs(made)[0]
    rewrite_log(nights[0], job, lambda raw: raw[: raw.index(b"Begin (")].rpartition(b"\n")[0] + b"\n")
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    rows = _by_job(outcome, 0, made)[job]
    assert len(rows) == len(_by_job(before, 0, made)[job])
    assert {(row["status"], row["elapsed_s"]) for row in rows} == {("not_run", "")}
    assert _untouched(made, before, outcome, job)


def test_a_log_cut_inside_a_line_loses_the_rest_of_its_job_only(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    before = local(made.repository, "main", nights, tmp_path / "before")
    job = next(job for job, rows in _by_job(before, 0, made).items() if len(rows) > 2)
    rewrite_log(nights[0], job, lambda raw: raw[: raw.index(b"End (1") + 4])
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    statuses = {row["test_file"]: row["status"] for row in _by_job(outcome, 0, made)[job]}
    assert "passed" not in statuses.values()
    assert set(statuses.values()) <= {"unknown", "not_run", "cancelled", "failed"}
    assert "the log has no final summary" in outcome.report
    assert _untouched(made, before, outcome, job)


@pytest.mark.parametrize("kind", ["empty", "gone"])
def test_a_lost_log_makes_its_suite_partial_so_that_nothing_in_it_is_lowered(
    made: Generated, nights: Nights, tmp_path: Path, kind: str
) -> None:
    before = local(made.repository, "main", nights, tmp_path / "before")
    lowered = {row["job_id"] for row in before.rows if row["action"] == "lower"}
    suite = next(row["suite"] for row in before.rows if row["action"] == "lower")
    job = next(int(r["job_id"]) for r in before.rows if r["suite"] == suite and r["job_id"] not in lowered)
    night = next(i for i, run in enumerate(made.runs) if any(row.job_id == job for row in run.rows))
    if kind == "empty":
        rewrite_log(nights[night], job, lambda _: b"")
    else:

        def incomplete(manifest: dict[str, list[dict[str, object]]]) -> None:
            (entry,) = (one for one in manifest["jobs"] if one["job_id"] == job)
            entry.update(log_complete=False, log_path=None, bytes=0, line_count=0, incomplete_reason="HTTP 410")

        rewrite_json(nights[night] / "manifest.json", incomplete)
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    assert not [row for row in outcome.rows if row["suite"] == suite and row["action"] == "lower"]
    held = [row for row in outcome.rows if row["job_id"] in lowered and "held:too_few_nights" in row["note"]]
    assert held, "measured on both nights, and one of them is incomplete"
    assert f"Run {made.runs[night].run_id}: a log of `{suite}` could not be had." in outcome.report
    assert _untouched(made, before, outcome, job)


def test_bytes_that_are_no_text_change_no_row(made: Generated, nights: Nights, tmp_path: Path) -> None:
    before = local(made.repository, "main", nights, tmp_path / "before")
    noise = b"2026-09-01T03:00:00.0000000Z \xff\xfe\x00\x1b[31m\xe2\x80\xa8 PASSED: \xc3\n"
    for attempt, run in zip(nights, made.runs, strict=True):
        for job in {row.job_id for row in run.rows}:
            rewrite_log(attempt, job, lambda raw: noise + raw + noise)
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    told = [
        [(r["job_id"], r["test_file"], r["status"], r["elapsed_s"], r["proposed_est_s"]) for r in one.rows]
        for one in (before, outcome)
    ]
    assert told[0] == told[1]
    assert outcome.written("changes.patch") == before.written("changes.patch")


def test_a_file_that_is_gone_at_the_base_is_said_and_the_others_are_edited(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    gone, *others = sorted(made.edits)
    git(made.repository, "rm", "-q", gone)
    git(made.repository, "commit", "-qm", "Gone")
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    rows = [row for row in outcome.rows if row["test_file"] == gone]
    assert {(row["action"], row["proposed_est_s"], row["note"].split(":")[0]) for row in rows} == {
        ("skip", "", "unused")
    }
    assert set(others) <= set(outcome.patched)
    assert gone not in outcome.patched


def test_a_repository_without_registrations_says_so(made: Generated, nights: Nights, tmp_path: Path) -> None:
    git(made.repository, "rm", "-rq", "tests/e2e", "tests/fast")
    git(made.repository, "commit", "-qm", "No tests any more")
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "No register_*_ci call was found under the configured paths." in outcome.stdout
    assert "`register_*_ci` call was found under the configured paths." in outcome.report
    assert outcome.written("changes.patch") == b""
    assert len(outcome.rows) == sum(len(run.rows) for run in made.runs)


def test_a_call_that_cannot_be_edited_is_refused_by_name_and_the_rest_goes_on(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    computed = "tests/e2e/serving/test_batch_server.py"
    others = made.edits.keys() - {computed}
    path = made.repository / computed
    before, _ = made.edits[computed]
    path.write_text(path.read_text(encoding="utf-8").replace(f"est_time={before}", f"est_time={before} + 0"), "utf-8")
    git(made.repository, "commit", "-qam", "Computed")
    outcome = local(made.repository, "main", nights, tmp_path / "out", "--policy", "strict")
    assert outcome.status == 0
    assert computed not in outcome.patched
    assert f"- `{computed}:" in outcome.report
    assert "est_time is computed" in outcome.report
    assert others <= set(outcome.patched)
