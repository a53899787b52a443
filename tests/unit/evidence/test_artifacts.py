from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain import Job, JobLog, LogState
from bot.errors import UserError
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job
from bot.evidence.collect import collect
from bot.evidence.ports import RunSource

HEAD = "a" * 40
LOG = b"one\ntwo\n"
MADE = "/elsewhere/run-77"
Document = dict[str, Any]


def _run(attempt: int = 1) -> Document:
    address = "https://github.com/zoo/park/actions/runs/77"
    job = {"databaseId": 9, "name": "lane / run", "conclusion": "success", "startedAt": "2026-08-20T15:00:10Z"}
    skipped = {"databaseId": 10, "name": "lane / run-cpu", "conclusion": "skipped", "startedAt": "0001-01-01T00:00:00Z"}
    return {
        "attempt": attempt,
        "headSha": HEAD,
        "url": f"{address}/attempts/{attempt}",
        "conclusion": "success",
        "workflowName": "PR Test",
        "jobs": [job, skipped],
    }


def _manifest(attempt: int = 1) -> Document:
    job = {"job_id": 9, "job_name": "lane / run", "log_complete": True, "log_path": f"{MADE}/jobs/9/job-9.log"}
    none = {"job_id": 10, "job_name": "lane / run-cpu", "log_complete": False, "log_path": None, "bytes": 0}
    return {
        "producer": "ci-fetch-log",
        "schema_version": 1,
        "artifact_kind": "complete-gha-job-logs",
        "artifact_dir": MADE,
        "repo": "zoo/park",
        "run_id": "77",
        "run_attempt": attempt,
        "head_sha": HEAD,
        "jobs": [job | {"bytes": len(LOG), "line_count": 2}, none | {"line_count": 0, "incomplete_reason": "skipped"}],
    }


def _write(directory: Path, run: Document, manifest: Document, log: bytes = LOG) -> Path:
    (directory / "jobs" / "9").mkdir(parents=True)
    (directory / "run.json").write_text(json.dumps(run))
    (directory / "manifest.json").write_text(json.dumps(manifest))
    (directory / "jobs" / "9" / "job-9.log").write_bytes(log)
    return directory


def _collected(source: ArtifactSource) -> tuple[JobLog, ...]:
    (run,) = source.runs
    return asyncio.run(collect(source, run, at_once=2))


def _read(directory: Path) -> None:
    source = ArtifactSource([directory])
    for log in _collected(source):
        read_job(source.runs[0], log)


def _refusal(directory: Path) -> str:
    with pytest.raises(UserError) as caught:
        _read(directory)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_an_artifact_is_a_trusted_run_with_its_jobs_and_logs(tmp_path: Path) -> None:
    source = ArtifactSource([_write(tmp_path / "a", _run(), _manifest())])
    port: RunSource = source
    (run,) = source.runs
    assert (run.repository, run.run_id, run.attempt, run.head_sha, run.trusted) == ("zoo/park", 77, 1, HEAD, True)
    assert run.created_at == datetime(2026, 8, 20, 15, 0, 10, tzinfo=UTC)
    jobs = asyncio.run(port.jobs(run))
    assert [(job.job_id, job.name, job.conclusion) for job in jobs] == [
        (9, "lane / run", "success"),
        (10, "lane / run-cpu", "skipped"),
    ]
    present, never = _collected(source)
    assert (present.state, present.size, present.lines) == (LogState.PRESENT, len(LOG), 2)
    assert Path(present.path).read_bytes() == LOG
    assert (never.state, never.reason) == (LogState.NEVER, "skipped")


def _set(part: str, *keys: str | int, to: object) -> Callable[[Document, Document], None]:
    def change(run: Document, manifest: Document) -> None:
        place: Any = {"run": run, "manifest": manifest}[part]
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("manifest", "schema_version", to=2), "manifest.json: schema_version"),
        (_set("manifest", "artifact_kind", to="other"), "manifest.json: artifact_kind"),
        (_set("manifest", "producer", to=""), "manifest.json: producer"),
        (_set("manifest", "jobs", to=None), "manifest.json: jobs"),
        (_set("manifest", "head_sha", to="b" * 40), "run.json: headSha is aaa"),
        (_set("manifest", "head_sha", to="main"), "manifest.json: head_sha"),
        (_set("manifest", "run_attempt", to=2), "run.json: attempt is 1, manifest.json says 2"),
        (_set("manifest", "run_id", to="78"), "run.json: run id is 77, manifest.json says 78"),
        (_set("manifest", "repo", to="zoo/other"), "run.json: repository is zoo/park"),
        (_set("manifest", "jobs", 0, "job_id", to=11), "job 11 is not in run.json"),
        (_set("manifest", "jobs", 1, "job_id", to=9), "manifest.json: jobs"),
        (_set("manifest", "jobs", 0, "job_name", to="x\ny"), "name of job 9 is lane / run, manifest.json says x y"),
        (_set("manifest", "jobs", 0, "bytes", to=7), "job-9.log: has 8 bytes, the manifest says 7"),
        (_set("manifest", "jobs", 0, "line_count", to=3), "job-9.log: line_count is 2, 3 was recorded"),
        (_set("manifest", "jobs", 0, "log_path", to=f"{MADE}/jobs/8/job-8.log"), "job-8.log: is missing"),
        (_set("manifest", "jobs", 0, "log_path", to=f"{MADE}/jobs"), "jobs: is missing"),
        (_set("manifest", "jobs", 0, "log_path", to=f"{MADE}/../other/job.log"), "log_path of job 9 leaves"),
        (_set("manifest", "jobs", 0, "log_path", to="/etc/passwd"), "log_path of job 9 leaves"),
        (_set("manifest", "jobs", 0, "log_path", to="../../etc/passwd"), "log_path of job 9 leaves"),
        (_set("manifest", "jobs", 0, "log_path", to=None), "log_path of job 9 leaves"),
        (_set("manifest", "jobs", 0, "log_path", to="jobs/\0"), "log_path of job 9 leaves"),
        (_set("run", "url", to="https://github.com/zoo/park"), "run.json: url"),
        (_set("run", "attempt", to=0), "run.json: attempt"),
        (_set("run", "jobs", 0, "startedAt", to="yesterday"), "run.json: jobs.0.startedAt"),
    ],
)
def test_a_failed_check_is_named_with_its_file(
    tmp_path: Path, change: Callable[[Document, Document], None], message: str
) -> None:
    run, manifest = _run(), _manifest()
    change(run, manifest)
    refusal = _refusal(_write(tmp_path / "a", run, manifest))
    assert message in refusal
    assert "fetch the" in refusal


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff\xfe", b'{"attempt": 1}', b"[" * 100_000])
def test_missing_or_broken_json_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    directory = _write(tmp_path / "a", _run(), _manifest())
    (directory / name).unlink()
    if content is not None:
        (directory / name).write_bytes(content)
    assert name in _refusal(directory)


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "nowhere" in _refusal(tmp_path / "nowhere")


def test_a_symlink_out_of_the_artifact_is_refused(tmp_path: Path) -> None:
    directory = _write(tmp_path / "a", _run(), _manifest())
    (tmp_path / "secret").write_bytes(LOG)
    log = directory / "jobs" / "9" / "job-9.log"
    log.unlink()
    log.symlink_to(tmp_path / "secret")
    assert "leads out of the artifact" in _refusal(directory)


def test_a_symlink_loop_is_refused(tmp_path: Path) -> None:
    directory = _write(tmp_path / "a", _run(), _manifest())
    log = directory / "jobs" / "9" / "job-9.log"
    log.unlink()
    log.symlink_to(log)
    assert "job-9.log" in _refusal(directory)


def test_a_relative_log_path_is_below_the_artifact(tmp_path: Path) -> None:
    manifest = _manifest()
    manifest["jobs"][0]["log_path"] = "jobs/9/job-9.log"
    assert _collected(ArtifactSource([_write(tmp_path / "a", _run(), manifest)]))[0].state is LogState.PRESENT


def test_a_log_of_zero_bytes_is_empty(tmp_path: Path) -> None:
    manifest = _manifest()
    manifest["jobs"][0] |= {"bytes": 0, "line_count": 0}
    assert _collected(ArtifactSource([_write(tmp_path / "a", _run(), manifest, b"")]))[0].state is LogState.EMPTY


def test_an_incomplete_log_is_gone_with_its_reason(tmp_path: Path) -> None:
    manifest = _manifest()
    manifest["jobs"][0] |= {"log_complete": False, "incomplete_reason": "HTTP 410"}
    log = _collected(ArtifactSource([_write(tmp_path / "a", _run(), manifest)]))[0]
    assert (log.state, log.reason) == (LogState.GONE, "HTTP 410")


def test_a_job_cancelled_before_its_first_step_never_had_a_log(tmp_path: Path) -> None:
    run, manifest = _run(), _manifest()
    run["jobs"][0] |= {"conclusion": "cancelled", "steps": []}
    manifest["jobs"][0]["log_complete"] = False
    assert _collected(ArtifactSource([_write(tmp_path / "a", run, manifest)]))[0].state is LogState.NEVER


def test_a_job_that_was_not_fetched_is_gone(tmp_path: Path) -> None:
    manifest = _manifest()
    del manifest["jobs"][0]
    assert _collected(ArtifactSource([_write(tmp_path / "a", _run(), manifest)]))[0].state is LogState.GONE


def test_one_attempt_given_twice_is_refused(tmp_path: Path) -> None:
    first = _write(tmp_path / "a", _run(), _manifest())
    second = _write(tmp_path / "b", _run(), _manifest())
    with pytest.raises(UserError, match="same attempt"):
        ArtifactSource([first, second])


def test_all_attempts_of_a_run_have_the_date_of_its_first_job(tmp_path: Path) -> None:
    later = _run(2)
    later["jobs"][0]["startedAt"] = "2026-08-20T22:00:00Z"
    directories = [_write(tmp_path / "b", later, _manifest(2)), _write(tmp_path / "a", _run(), _manifest())]
    runs = ArtifactSource(directories).runs
    assert [run.attempt for run in runs] == [1, 2]
    assert {run.created_at for run in runs} == {datetime(2026, 8, 20, 15, 0, 10, tzinfo=UTC)}


def test_a_run_or_job_of_no_artifact_is_told(tmp_path: Path) -> None:
    source = ArtifactSource([_write(tmp_path / "a", _run(), _manifest())])
    (run,) = source.runs
    with pytest.raises(UserError, match="none of the given"):
        asyncio.run(ArtifactSource([]).jobs(run))
    stranger = Job(run.run_id, "x", 1, "success")  # type: ignore[arg-type]  # any number will do
    assert asyncio.run(source.log(run, stranger)).state is LogState.GONE
