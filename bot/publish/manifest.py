"""Writes `manifest.json`: what the evidence was made from, without a clock time.

It names the commits, the logs by size and SHA-256, and the policy; with the files beside it anyone
can tell whether two evidence files speak of the same inputs. What the rows say is the CSV's part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from bot.domain import Evaluation, JobEvidence, LogState, RunEvidence
from bot.publish.lookup import log_name

FORMAT = "recalibrate-evidence/1"


def manifest_json(evaluation: Evaluation, files: Mapping[str, bytes]) -> bytes:
    """The whole file: ASCII JSON with sorted keys and a final LF.

    `files` maps the names of the files beside it to their bytes, which are stated by size and hash.
    Runs stand by id and attempt, jobs by id. Every job is listed, carried-over and skipped ones too.
    """
    runs = sorted(evaluation.runs, key=lambda r: (r.run.run_id, r.run.attempt))
    value = {
        "format": FORMAT,
        "repository": evaluation.repository,
        "base": {"name": evaluation.base, "sha": evaluation.base_sha},
        "policy": {"name": evaluation.policy.name, "parameters": dict(evaluation.policy.parameters)},
        "runs": [_run(run) for run in runs],
        "files": {name: _file(raw) for name, raw in files.items()},
    }
    return (json.dumps(value, sort_keys=True, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _run(run: RunEvidence) -> dict[str, Any]:
    return {
        "run_id": run.run.run_id,
        "attempt": run.run.attempt,
        "event": run.run.event,
        "head_sha": run.run.head_sha,
        "workflow": run.run.workflow,
        "partial_suites": sorted(run.partial),
        "jobs": [_job(job) for job in sorted(run.jobs, key=lambda j: j.log.job.job_id)],
    }


def _job(job: JobEvidence) -> dict[str, Any]:
    log = job.log
    present = log.state is LogState.PRESENT
    return {
        "job_id": log.job.job_id,
        "name": log.job.name,
        "conclusion": log.job.conclusion,
        "carried_from": job.carried_from,
        "tested_sha": job.tested_sha,
        "log": {
            "state": log.state.value,
            "path": log_name(log.job.job_id) if present else None,
            "sha256": log.sha256 if present else None,
            "bytes": log.size if present else None,
            "lines": log.lines if present else None,
        },
    }


def _file(raw: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
