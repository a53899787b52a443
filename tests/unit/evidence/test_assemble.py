from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import Job, JobEvidence, JobId, JobLog, LogNote, LogState, RunEvidence
from bot.errors import UserError
from bot.evidence.assemble import read_job, run_evidence
from bot.evidence.job_names import stem_of_name, suite_of_name
from tests.unit.evidence.tiny_logs import OTTER, RUN, judged, passing, plan, stamped, summary

LOG = stamped([*plan((OTTER, 400.0)), *passing(0, 1, OTTER, 310), *summary([OTTER])])


def _on_disk(path: Path, data: bytes) -> JobLog:
    path.write_bytes(data)
    job = Job(JobId(9), "lane-4-alpha / run", 1, "success")
    return JobLog(job, LogState.PRESENT, str(path), size=len(data), lines=data.count(b"\n"))


def test_a_job_is_read_with_its_hash(tmp_path: Path) -> None:
    evidence = read_job(RUN, _on_disk(tmp_path / "job.log", LOG))
    assert [row.elapsed_s for row in evidence.rows] == [310]
    assert evidence.log.sha256 == hashlib.sha256(LOG).hexdigest()
    assert evidence.dialect == "suite_runner"


@pytest.mark.parametrize("data", [b"docker build\nstep 1", b"\xff" * 100, b"\n" * 50])
def test_a_job_of_no_dialect_has_a_hash_and_no_rows(tmp_path: Path, data: bytes) -> None:
    evidence = read_job(RUN, _on_disk(tmp_path / "job.log", data))
    assert (evidence.rows, evidence.dialect, evidence.notes) == ((), "", ())
    assert evidence.log.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("changed", [{"size": 3}, {"lines": 3}, {"sha256": "0" * 64}])
def test_bytes_that_are_not_those_recorded_are_refused_by_name(tmp_path: Path, changed: dict[str, object]) -> None:
    log = replace(_on_disk(tmp_path / "job.log", LOG), **changed)
    with pytest.raises(UserError, match=r"job\.log: (bytes|line_count|SHA-256) is .* was recorded for it"):
        read_job(RUN, log)


def test_a_file_that_vanished_is_refused_by_name(tmp_path: Path) -> None:
    log = _on_disk(tmp_path / "job.log", LOG)
    Path(log.path).unlink()
    with pytest.raises(UserError, match=r"job\.log: cannot be read"):
        read_job(RUN, log)


def _lost(name: str, state: LogState, conclusion: str = "success") -> JobEvidence:
    return JobEvidence(JobLog(Job(JobId(1), name, 1, conclusion), state))


@pytest.mark.parametrize("state", [LogState.GONE, LogState.EMPTY, LogState.FORBIDDEN])
def test_a_log_that_cannot_be_had_makes_its_suite_partial(state: LogState) -> None:
    assert run_evidence(RUN, [_lost("lane-9 (1) / run", state)]).partial == {"lane-9"}


def test_a_job_that_never_had_a_log_makes_nothing_partial() -> None:
    assert run_evidence(RUN, [_lost("lane-9 (1) / run", LogState.NEVER, "skipped")]).partial == frozenset()


def test_the_suite_of_a_lost_log_is_that_of_the_other_partitions() -> None:
    present = judged(LOG, name="GPU tests (0) / go")
    lost = _lost("GPU tests (1) / go", LogState.GONE)
    assert run_evidence(RUN, [present, lost]).partial == {"lane-4-alpha"}


@pytest.mark.parametrize("conclusion", ["failure", "cancelled"])
def test_a_failed_or_cancelled_job_whose_log_is_there_makes_nothing_partial(conclusion: str) -> None:
    cut = stamped(plan((OTTER, 400.0)))
    assert run_evidence(RUN, [judged(cut, conclusion)]).partial == frozenset()


def test_a_lost_job_that_is_no_suite_makes_nothing_partial() -> None:
    evidence: RunEvidence = run_evidence(RUN, [_lost("docker-build", LogState.GONE)])
    assert evidence.partial == frozenset()


@pytest.mark.parametrize(
    ("name", "stem", "suite"),
    [
        ("lane-2 (1) / run", "lane-2 / run", "lane-2"),
        ("lane-2 / run", "lane-2 / run", "lane-2"),
        ("run-tests-cuda / lane-2 (0) / run", "run-tests-cuda / lane-2 / run", "lane-2"),
        ("docker-build", "docker-build", None),
        ("", "", None),
    ],
)
def test_job_names_tell_suites(name: str, stem: str, suite: str | None) -> None:
    assert (stem_of_name(name), suite_of_name(name)) == (stem, suite)


def test_short_sessions_are_notes_of_the_job() -> None:
    cpu = stamped([*plan((OTTER, 1.0), hardware="CPU"), "Running: pytest x -v"])
    evidence = judged(cpu)
    assert (evidence.rows, evidence.notes) == ((), (LogNote.NO_PER_FILE_TIMING,))
