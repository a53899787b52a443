"""Runs from log-artifact directories: `run.json`, `manifest.json`, `jobs/<id>/job-<id>.log`.

Fulfils `bot.evidence.ports.RunSource`. Every check that fails raises a `UserError` that names the
file, the check and the remedy; an artifact is used whole or not at all. Runs of artifacts are
trusted: a person named them. Whether a log's bytes are those the manifest counts is checked where
they are read (`bot.evidence.assemble`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from bot.domain import CommitSha, Job, JobId, JobLog, LogState, Run, RunId
from bot.errors import UserError
from bot.evidence.artifact_files import ManifestJob, RunFile, RunJob, load_manifest, load_run

_FETCH_AGAIN = "fetch the artifact again"


@dataclass(frozen=True, slots=True)
class _Artifact:
    """One directory: the run it describes, and where it says each job's log is."""

    directory: Path
    run: Run
    jobs: tuple[Job, ...]
    fetched: dict[JobId, ManifestJob]
    stepless: frozenset[JobId]  # jobs that ran no step: there never was a log
    artifact_dir: str


class ArtifactSource:
    """The attempts that a list of artifact directories holds."""

    def __init__(self, directories: Sequence[Path]) -> None:
        """Open and check the directories.

        Raises:
            UserError: one of them is refused, or two hold the same attempt.
        """
        self._artifacts: dict[tuple[RunId, int], _Artifact] = {}
        for directory in directories:
            artifact = _open(directory)
            key = (artifact.run.run_id, artifact.run.attempt)
            if key in self._artifacts:
                other = self._artifacts[key].directory
                raise UserError(f"{directory}: holds the same attempt as {other}; give each attempt once")
            self._artifacts[key] = artifact
        self._date_runs()

    @property
    def runs(self) -> tuple[Run, ...]:
        """All attempts, by run id and attempt."""
        return tuple(self._artifacts[key].run for key in sorted(self._artifacts))

    async def jobs(self, run: Run) -> tuple[Job, ...]:
        """All jobs of the attempt, in the order of `run.json`."""
        return self._of(run).jobs

    async def log(self, run: Run, job: Job) -> JobLog:
        """The job's log where the manifest says it is, below the artifact's directory.

        Raises:
            UserError: the manifest names a log that is missing, outside, or of another size.
        """
        artifact = self._of(run)
        entry = artifact.fetched.get(job.job_id)
        if entry is None:
            return JobLog(job, LogState.GONE, reason="not in the manifest")
        if not entry.log_complete:
            never = job.conclusion == "skipped" or job.job_id in artifact.stepless
            state = LogState.NEVER if never else LogState.GONE
            return JobLog(job, state, reason=entry.incomplete_reason or entry.fetch_error or "log_complete is false")
        path = _located(artifact, entry)
        size = _size(path)
        if size != entry.bytes:
            raise UserError(f"{path}: has {size} bytes, the manifest says {entry.bytes}; {_FETCH_AGAIN}")
        if size == 0:
            return JobLog(job, LogState.EMPTY, str(path), reason="the log has no bytes")
        return JobLog(job, LogState.PRESENT, str(path), size=size, lines=entry.line_count)

    def _of(self, run: Run) -> _Artifact:
        try:
            return self._artifacts[(run.run_id, run.attempt)]
        except KeyError:
            raise UserError(f"run {run.run_id}, attempt {run.attempt}: in none of the given artifacts") from None

    def _date_runs(self) -> None:
        """Neither file says when a run was created: the earliest start of any job of any attempt does.

        For a run whose `run.json` has `createdAt` (`gh run view --json createdAt`), that is used.
        """
        for run_id in {key[0] for key in self._artifacts}:
            own = {key: one for key, one in self._artifacts.items() if key[0] == run_id}
            told = [one.run.created_at for one in own.values() if one.run.created_at]
            starts = [job.started_at for one in own.values() for job in one.jobs if job.started_at]
            created = min(told or starts, default=None)
            for key, one in own.items():
                self._artifacts[key] = replace(one, run=replace(one.run, created_at=created))


def _open(directory: Path) -> _Artifact:
    run_path, manifest_path = directory / "run.json", directory / "manifest.json"
    run, manifest = load_run(run_path), load_manifest(manifest_path)
    _agree(run_path, "headSha", run.headSha, manifest.head_sha)
    _agree(run_path, "attempt", run.attempt, manifest.run_attempt)
    _agree(run_path, "run id", run.run_id, manifest.run_id)
    if run.repository:
        _agree(run_path, "repository", run.repository.lower(), manifest.repo.lower())
    names = {job.databaseId: job.name for job in run.jobs}
    for entry in manifest.jobs:
        if entry.job_id not in names:
            raise UserError(f"{manifest_path}: job {entry.job_id} is not in run.json; {_FETCH_AGAIN}")
        _agree(run_path, f"name of job {entry.job_id}", names[entry.job_id], entry.job_name)
    jobs = tuple(_job(job, run.attempt) for job in run.jobs)
    fetched = {JobId(entry.job_id): entry for entry in manifest.jobs}
    stepless = frozenset(JobId(job.databaseId) for job in run.jobs if job.steps == ())
    return _Artifact(directory, _run(run, manifest.repo), jobs, fetched, stepless, manifest.artifact_dir)


def _agree(run_path: Path, what: str, in_run: str | int, in_manifest: str | int) -> None:
    if in_run != in_manifest:
        told = f"{what} is {_shown(in_run)}, manifest.json says {_shown(in_manifest)}"
        raise UserError(f"{run_path}: {told}; {_FETCH_AGAIN}")


def _shown(value: str | int) -> str:
    """A value of the files in a message of one line."""
    return " ".join(str(value).split())[:200]


def _run(run: RunFile, repository: str) -> Run:
    return Run(
        repository=repository,
        run_id=RunId(run.run_id),
        attempt=run.attempt,
        head_sha=CommitSha(run.headSha),
        created_at=_moment(run.createdAt),
        started_at=_moment(run.startedAt),
        event=run.event,
        head_branch=run.headBranch,
        workflow=run.workflowName,
        conclusion=run.conclusion or "",
        url=run.url,
    )


def _job(job: RunJob, attempt: int) -> Job:
    return Job(
        job_id=JobId(job.databaseId),
        name=job.name,
        attempt=attempt,
        conclusion=job.conclusion or "",
        started_at=_moment(job.startedAt),
        completed_at=_moment(job.completedAt),
    )


def _moment(value: datetime | None) -> datetime | None:
    """A time of `gh`'s JSON, in UTC; the year 1 is how it writes "none"."""
    if value is None or value.year <= 1:
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _located(artifact: _Artifact, entry: ManifestJob) -> Path:
    """The log's file below the given directory, wherever the artifact was made.

    `log_path` is absolute on the machine that made the artifact, below its `artifact_dir`.
    """
    manifest = artifact.directory / "manifest.json"
    named = PurePosixPath(entry.log_path or "")
    made = PurePosixPath(artifact.artifact_dir)
    below = named.relative_to(made) if made.parts and named.is_relative_to(made) else named
    if not below.parts or below.is_absolute() or ".." in below.parts or "\0" in str(below):
        raise UserError(f"{manifest}: log_path of job {entry.job_id} leaves the artifact; {_FETCH_AGAIN}")
    path = artifact.directory / below
    try:
        inside = path.resolve().is_relative_to(artifact.directory.resolve())
    except (OSError, RuntimeError) as error:
        raise UserError(f"{path}: cannot be resolved ({type(error).__name__}); {_FETCH_AGAIN}") from error
    if not inside:
        raise UserError(f"{path}: leads out of the artifact; {_FETCH_AGAIN}")
    return path


def _size(path: Path) -> int:
    if not path.is_file():
        raise UserError(f"{path}: is missing, the manifest says its log is complete; {_FETCH_AGAIN}")
    return path.stat().st_size
