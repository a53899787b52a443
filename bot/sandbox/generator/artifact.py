"""Writes one generated run as a log artifact and as REST answers, in the layout `recalibrate local` reads.

DIR/attempt-1/{run.json,manifest.json,jobs/<id>/job-<id>.log} and DIR/api/{run.json,attempt-1-jobs.json}.
Paths inside name an invented machine, so that the bytes do not depend on where they are written.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.sandbox.generator.api import WEB, JobFacts, RestAnswers, RunFacts
from bot.sandbox.generator.story import FULL_NAME, WORKFLOW_NAME
from bot.sandbox.views_repo import stamp

SCHEMA_VERSION = 1
ARTIFACT_KIND = "complete-gha-job-logs"


def write_run(where: Path, rest: RestAnswers, run: RunFacts, jobs: tuple[JobFacts, ...]) -> None:
    """Write the run directory `where`, which must not exist."""
    attempt = where / "attempt-1"
    _json(where / "api" / "run.json", rest.run(run))
    _json(where / "api" / "attempt-1-jobs.json", rest.jobs(run, jobs))
    _json(attempt / "run.json", _run(run, jobs))
    _json(attempt / "manifest.json", _manifest(where.name, run, jobs))
    for job in jobs:
        if job.log is not None:
            log = attempt / _log_name(job)
            log.parent.mkdir(parents=True)
            log.write_bytes(job.log)


def _log_name(job: JobFacts) -> str:
    return f"jobs/{job.job_id}/job-{job.job_id}.log"


def _json(where: Path, value: object) -> None:
    where.parent.mkdir(parents=True, exist_ok=True)
    where.write_bytes(json.dumps(value, indent=1).encode() + b"\n")


def _run_url(run: RunFacts) -> str:
    return f"{WEB}/{FULL_NAME}/actions/runs/{run.run_id}"


def _run(run: RunFacts, jobs: tuple[JobFacts, ...]) -> dict[str, Any]:
    """The answer of `gh run view --json`, whose keys are in camel case."""
    return {
        "attempt": 1,
        "conclusion": run.conclusion,
        "headSha": run.head_sha,
        "jobs": [_run_job(run, job) for job in jobs],
        "url": f"{_run_url(run)}/attempts/1",
        "workflowName": WORKFLOW_NAME,
    }


def _run_job(run: RunFacts, job: JobFacts) -> dict[str, Any]:
    return {
        "completedAt": stamp(job.completed_at),
        "conclusion": job.conclusion,
        "databaseId": job.job_id,
        "name": job.name,
        "startedAt": stamp(job.started_at),
        "status": "completed",
        "steps": [
            {
                "completedAt": stamp(step.completed_at),
                "conclusion": step.conclusion,
                "name": step.name,
                "number": number + 1,
                "startedAt": stamp(step.started_at),
                "status": "completed",
            }
            for number, step in enumerate(job.steps)
        ],
        "url": f"{_run_url(run)}/job/{job.job_id}",
    }


def _manifest(key: str, run: RunFacts, jobs: tuple[JobFacts, ...]) -> dict[str, Any]:
    root = f"/ci-artifacts/{key}/attempt-1"
    return {
        "producer": "ci-fetch-log",
        "schema_version": SCHEMA_VERSION,
        "artifact_kind": ARTIFACT_KIND,
        "artifact_dir": root,
        "run_url": _run_url(run),
        "repo": FULL_NAME,
        "run_id": str(run.run_id),
        "run_attempt": 1,
        "workflow_name": WORKFLOW_NAME,
        "head_sha": run.head_sha,
        "mode": "complete-log collection",
        "jobs": [_manifest_job(root, run, job) for job in jobs],
    }


def _manifest_job(root: str, run: RunFacts, job: JobFacts) -> dict[str, Any]:
    path = f"{root}/{_log_name(job)}"
    log = job.log
    return {
        "job_id": job.job_id,
        "job_name": job.name,
        "status": "completed",
        "conclusion": job.conclusion,
        "log_path": None if log is None else path,
        "log_complete": log is not None,
        "line_count": 0 if log is None else log.count(b"\n"),
        "bytes": 0 if log is None else len(log),
        "fetch_command": f"gh api /repos/{FULL_NAME}/actions/jobs/{job.job_id}/logs > {path}",
        "fetched_at": stamp(run.updated_at + timedelta(minutes=20)),
        "fetch_error": "gh: Not Found (HTTP 404)" if log is None else None,
        "incomplete_reason": "skipped job: GitHub holds no log for it" if log is None else None,
    }
