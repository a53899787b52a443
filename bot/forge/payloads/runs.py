"""Answers about workflow runs and their jobs; a job's log is bytes and has no model."""

from __future__ import annotations

from datetime import datetime

from bot.forge.payloads.payload import Payload, Sha


class RunPayload(Payload):
    """A workflow run, or one attempt of it. `path` may carry `@ref`."""

    id: int
    run_attempt: int = 1
    head_sha: Sha
    head_branch: str | None = None
    event: str
    path: str = ""
    conclusion: str | None = None
    created_at: datetime
    run_started_at: datetime | None = None
    html_url: str = ""


class RunPage(Payload):
    """One page of workflow runs."""

    total_count: int
    workflow_runs: tuple[RunPayload, ...]


class JobPayload(Payload):
    """A job of one attempt. Steps are only counted."""

    id: int
    name: str
    run_attempt: int = 1
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    runner_name: str | None = None
    steps: tuple[object, ...] | None = None


class JobPage(Payload):
    """One page of jobs."""

    total_count: int
    jobs: tuple[JobPayload, ...]
