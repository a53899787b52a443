"""A repository in any dialect and nights of its logs, as small as they can be: for the command-line road."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "zoo/park"
ROOT = "/__w/park/park"


@dataclass(frozen=True)
class World:
    """A git repository with one commit."""

    repository: Path
    head: str

    def night(self, run_id: int, jobs: Mapping[str, str], repository: str = NAME, head: str = "") -> Path:
        """Write one night's artifact, a log for each job's name, and give its directory."""
        where = self.repository.parent / f"run-{run_id}" / "attempt-1"
        head = head or self.head
        url = f"https://github.com/{repository}/actions/runs/{run_id}"
        logs = {10 * run_id + number: (name, log.encode()) for number, (name, log) in enumerate(jobs.items())}
        told = [
            {"databaseId": job, "name": name, "conclusion": "success", "startedAt": f"2026-08-{run_id:02}T15:00:00Z"}
            for job, (name, _) in logs.items()
        ]
        run = {"attempt": 1, "headSha": head, "url": url, "jobs": told, "conclusion": "success"}
        entries = [self._kept(where, job, name, raw) for job, (name, raw) in logs.items()]
        manifest = {
            "producer": "ci-fetch-log",
            "schema_version": 1,
            "artifact_kind": "complete-gha-job-logs",
            "artifact_dir": str(where),
            "run_url": url,
            "repo": repository,
            "run_id": str(run_id),
            "run_attempt": 1,
            "head_sha": head,
            "jobs": entries,
        }
        (where / "run.json").write_text(json.dumps(run), encoding="utf-8")
        (where / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return where

    @staticmethod
    def _kept(where: Path, job: int, name: str, raw: bytes) -> dict[str, object]:
        log = where / f"jobs/{job}/job-{job}.log"
        log.parent.mkdir(parents=True)
        log.write_bytes(raw)
        return {
            "job_id": job,
            "job_name": name,
            "conclusion": "success",
            "log_path": str(log),
            "log_complete": True,
            "line_count": raw.count(b"\n"),
            "bytes": len(raw),
        }

    def checkout(self, sha: str = "", repository: str = NAME, directory: str = ROOT) -> list[str]:
        """What actions/checkout prints of a repository."""
        return [
            "##[group]Run actions/checkout@v4",
            f"Syncing repository: {repository}",
            f"Working directory is '{directory}'",
            f"[command]/usr/bin/git fetch origin +{sha or self.head}:refs/remotes/origin/main",
            "##[group]Run the suite",
        ]


def world(where: Path, files: Mapping[str, str | bytes]) -> World:
    """Commit the files to a new repository."""
    repository = where / "repo"
    for name, content in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    git = ["git", "-C", str(repository), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "All of it"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    return World(repository, head)


def log(*lines: str) -> str:
    """Lines as an Actions log holds them."""
    return "".join(f"2026-08-20T15:00:00.0000000Z {line}\n" for line in lines)


def table(hardware: str, suite: str, files: Mapping[str, float]) -> list[str]:
    """The older runner's plan."""
    return [
        "| Hardware   | Suite                    | Nightly   | Partition   |",
        f"| {hardware:10} | {suite:24} | True      | full        |",
        f"✅ Enabled {len(files)} test(s) (est total {sum(files.values())}s):",
        *(f"  - {path} (est_time={est})" for path, est in files.items()),
    ]


def older(hardware: str, suite: str, files: Mapping[str, tuple[float, int]]) -> list[str]:
    """A night of the older runner in which every file passes: path to (estimate, elapsed)."""
    lines = table(hardware, suite, {path: est for path, (est, _) in files.items()})
    for index, (path, (est, elapsed)) in enumerate(files.items()):
        place = f"({index}/{len(files) - 1}):"
        lines += [f"Begin {place}", f"End {place}", f"filename='{path}', elapsed={elapsed}, estimated_time={est}"]
    rule = "=" * 60
    lines += [rule, f"Test Summary: {len(files)}/{len(files)} passed", rule, "✓ PASSED:"]
    return [*lines, *(f"  {path}" for path in files), rule]


def block(times: Mapping[str, int], begin: str = "TIMINGS BEGIN", end: str = "TIMINGS END") -> list[str]:
    """A block of timings in which every file passes."""
    entries = [json.dumps({"file": path, "passed": True, "elapsed": elapsed}) for path, elapsed in times.items()]
    return [f"===== {begin} =====", *entries, f"===== {end} ====="]
