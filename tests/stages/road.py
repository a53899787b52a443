"""What the tests of the command-line road share: `recalibrate local` as a person starts it, and what came out."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.__main__ import main

FILES = ("changes.patch", "evidence.csv", "lines.txt", "manifest.json", "report.md")


@dataclass(frozen=True)
class Outcome:
    """One finished command: its exit status, what it printed, and the files it left."""

    status: int
    stdout: str
    stderr: str
    out: Path

    def written(self, name: str) -> bytes:
        return (self.out / name).read_bytes()

    @property
    def report(self) -> str:
        return self.written("report.md").decode()

    @property
    def files(self) -> dict[str, bytes]:
        """Every file that was written, but for the report's command, which names where things are."""
        found = {name: self.written(name) for name in FILES}
        head, _, rest = found["report.md"].partition(b"\nrecalibrate local ")
        return {**found, "report.md": head + rest.partition(b"\n")[2]}

    @property
    def rows(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.written("evidence.csv").decode(), newline="")))

    def proposed(self) -> dict[str, tuple[str, str]]:
        """Changed literals by test file: before and after."""
        changing = (row for row in self.rows if row["action"] in ("raise", "lower") and row["proposed_est_s"])
        return {row["test_file"]: (row["current_est_s"], row["proposed_est_s"]) for row in changing}

    @property
    def patched(self) -> list[str]:
        """The files that the patch changes."""
        lines = self.written("changes.patch").decode().splitlines()
        return [line.removeprefix("+++ b/") for line in lines if line.startswith("+++ ")]


def local(repository: Path, base: str, attempts: Iterable[Path], out: Path, *more: str) -> Outcome:
    """Run `recalibrate local`."""
    given = [word for attempt in attempts for word in ("--artifacts", str(attempt))]
    arguments = ["local", "--repo", str(repository), f"--base={base}", *given, "--out", str(out), *more]
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = main(arguments)
    return Outcome(status, stdout.getvalue(), stderr.getvalue(), out)


def git(repository: Path, *arguments: str) -> str:
    """What a git command prints."""
    command = ["git", "-C", str(repository), "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def blob_at(repository: Path, revision: str, path: str) -> bytes:
    """The bytes of one file of a commit."""
    command = ["git", "-C", str(repository), "cat-file", "blob", f"{revision}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def rewrite_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place."""
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def rewrite_log(attempt: Path, job_id: int, change: Callable[[bytes], bytes]) -> None:
    """Change one job's log, and the manifest so that it still tells the truth about it."""
    log = attempt / f"jobs/{job_id}/job-{job_id}.log"
    raw = change(log.read_bytes())
    log.write_bytes(raw)

    def account(manifest: Any) -> None:
        (entry,) = (job for job in manifest["jobs"] if job["job_id"] == job_id)
        entry["bytes"], entry["line_count"] = len(raw), raw.count(b"\n")

    rewrite_json(attempt / "manifest.json", account)
