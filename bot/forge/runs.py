"""Workflow runs, their attempts' jobs, and job logs on disk: the evidence stage's `RunSource` on GitHub.

Reads only, and judges nothing but whether GitHub gave all it counts. Every run comes back untrusted;
whether it is a configured nightly is the caller's knowledge.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import aiohttp

from bot.domain import CommitSha, Job, JobId, JobLog, LogState, Run, RunId
from bot.forge import logs
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.payloads.runs import JobPage, JobPayload, RunPage, RunPayload
from bot.records.measurements import RunQuery

_ATTEMPT = "/actions/runs/{run}/attempts/{attempt}"


class GitHubRuns:
    """Runs of any repository the client may read. `root` is where logs are kept."""

    def __init__(
        self,
        client: GitHubClient,
        log_session: aiohttp.ClientSession,
        root: Path,
        limits: logs.LogLimits = logs.DEFAULT_LIMITS,
    ) -> None:
        self._client = client
        self._log_session = log_session
        self._root = root.absolute()
        self._limits = limits

    async def run(self, repository: str, run_id: RunId, attempt: int | None = None) -> Run:
        """One attempt of a run, by default its newest. `trusted` is False.

        A run id is shared by its attempts, and the newest may be in progress when an older one is
        asked for: the attempt's own endpoint is read wherever an attempt is named.

        Raises:
            RefusedError: no such run or attempt, or it may not be read.
            BusyError: GitHub did not answer, or answered about another attempt.
        """
        base = RepositoryName.of(repository).path
        path = "/actions/runs/{run}" if attempt is None else _ATTEMPT
        found = await self._client.get(RunPayload, base + path, run=str(run_id), attempt=str(attempt))
        if attempt is not None and found.run_attempt != attempt:
            raise BusyError(f"run {run_id}: asked for attempt {attempt}, got {found.run_attempt}")
        return _run(repository, found)

    async def recent(self, repository: str, query: RunQuery, most: int) -> tuple[Run, ...]:
        """The newest completed runs that match, newest first, at most `most`; their newest attempts.

        Raises:
            RefusedError: no such workflow, or it may not be read.
            BusyError: GitHub did not answer.
        """
        asked = (
            f"?event={quote(query.event, safe='')}&branch={quote(query.branch, safe='')}"
            f"&created=%3E%3D{query.since:%Y-%m-%dT%H:%M:%SZ}&status=completed&per_page={min(most, 100)}"
        )
        of = "/actions/workflows/{workflow}/runs" if query.workflow else "/actions/runs"
        url = RepositoryName.of(repository).path + of + asked
        found: list[Run] = []
        async for page in self._client.pages(RunPage, url, workflow=Path(query.workflow).name):
            found.extend(_run(repository, item) for item in page.workflow_runs)
            if len(found) >= most:
                break
        return tuple(found[:most])

    async def any_run(self, repository: str, event: str, since: datetime, head: str = "") -> bool:
        """True where a run of an event was created since a moment (on a head), however it stands.

        Raises:
            RefusedError: it may not be asked for.
            BusyError: GitHub did not answer.
        """
        on = f"&head_sha={quote(head, safe='')}" if head else ""
        asked = f"?event={quote(event, safe='')}&created=%3E%3D{since:%Y-%m-%dT%H:%M:%SZ}{on}&per_page=1"
        page = await self._client.get(RunPage, RepositoryName.of(repository).path + "/actions/runs" + asked)
        return page.total_count > 0

    async def jobs(self, run: Run) -> tuple[Job, ...]:
        """All jobs of the attempt, every page of them, held against GitHub's own count.

        Raises:
            RefusedError: no such attempt, or it may not be read.
            BusyError: GitHub did not answer, or its pages do not add up.
        """
        found: dict[int, JobPayload] = {}
        counts: set[int] = set()
        async for page in self._job_pages(run):
            counts.add(page.total_count)
            found.update((item.id, item) for item in page.jobs)
        if counts != {len(found)}:
            said = ", ".join(map(str, sorted(counts)))
            raise BusyError(f"run {run.run_id} attempt {run.attempt}: {len(found)} jobs listed of {said}")
        return tuple(_job(item) for item in found.values())

    async def log(self, run: Run, job: Job) -> JobLog:
        """The job's complete log on disk; one that is there already is measured, not fetched.

        Raises:
            BusyError: GitHub or the log's host did not deliver it in time.
        """
        if job.conclusion == "skipped" or job.steps == 0:
            return JobLog(job, LogState.NEVER, reason="the job ran no step")
        of = f"{run.run_id}-{run.attempt}" + (f"-{run.measures.replace('/', '+')}" if run.measures else "")
        target = self._root / of / f"job-{job.job_id}.log"
        if target.is_file():
            return _present(job, await asyncio.to_thread(logs.measure, target))
        try:
            return _present(job, await self._fetch(run, job, target))
        except (RefusedError, logs.LogGoneError, logs.LogTooLargeError) as error:
            return _lost(job, error)

    async def _fetch(self, run: Run, job: Job, target: Path) -> logs.Measured:
        url = RepositoryName.of(run.repository).path + "/actions/jobs/{job}/logs"

        async def link() -> str:
            return await self._client.location(url, job=str(job.job_id))

        return await logs.fetch(self._log_session, link, target, self._limits)

    def _job_pages(self, run: Run) -> AsyncIterator[JobPage]:
        url = RepositoryName.of(run.repository).path + _ATTEMPT + "/jobs?per_page=100"
        return self._client.pages(JobPage, url, run=str(run.run_id), attempt=str(run.attempt))


def _run(repository: str, found: RunPayload) -> Run:
    return Run(
        repository=repository,
        run_id=RunId(found.id),
        attempt=found.run_attempt,
        head_sha=CommitSha(found.head_sha),
        created_at=found.created_at,
        started_at=found.run_started_at,
        event=found.event,
        head_branch=found.head_branch or "",
        workflow=found.path.partition("@")[0],
        conclusion=found.conclusion or "",
        url=found.html_url,
        trusted=False,
    )


def _job(found: JobPayload) -> Job:
    return Job(
        job_id=JobId(found.id),
        name=found.name,
        attempt=found.run_attempt,
        conclusion=found.conclusion or "",
        started_at=found.started_at,
        completed_at=found.completed_at,
        runner_name=found.runner_name or "",
        steps=None if found.steps is None else len(found.steps),
    )


def _present(job: Job, log: logs.Measured) -> JobLog:
    if log.size == 0:  # github.com/cli/cli/issues/10853: success, 200, and nothing in it
        log.path.unlink(missing_ok=True)
        return JobLog(job, LogState.EMPTY, reason="GitHub gave zero bytes")
    return JobLog(job, LogState.PRESENT, str(log.path), log.sha256, log.size, log.lines)


def _lost(job: Job, error: Exception) -> JobLog:
    if isinstance(error, RefusedError) and error.status == 403:
        return JobLog(job, LogState.FORBIDDEN, reason=str(error))
    if isinstance(error, logs.LogTooLargeError):
        return JobLog(job, LogState.GONE, reason="larger than the limit for one log")
    if isinstance(error, logs.LogGoneError) or (isinstance(error, RefusedError) and error.status in (404, 410)):
        return JobLog(job, LogState.GONE, reason="GitHub no longer has it")
    raise error
