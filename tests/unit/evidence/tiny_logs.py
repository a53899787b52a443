"""Tiny logs in the suite runner's vocabulary, and a way to judge them without any files."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO

from bot.domain import CommitSha, Job, JobEvidence, JobId, JobLog, LogState, ParsedLog, Run, RunId, Status
from bot.evidence.classify import classify
from bot.evidence.dialects import suite_runner
from bot.evidence.dialects.port import Dialect, Told
from bot.evidence.lines import blocks_of

HEAD = CommitSha("a" * 40)
OTTER = "tests/e2e/zoo/test_otter.py"
NEWT = "tests/e2e/zoo/test_newt.py"
RUN = Run("zoo/park", RunId(77), 1, HEAD)
RULE = "=" * 60
ZOO = Told(RUN.repository)


def stamped(lines: Iterable[str]) -> bytes:
    """Lines as an Actions log holds them."""
    return "".join(f"2026-08-20T15:00:00.0000000Z {line}\n" for line in lines).encode()


def plan(*files: tuple[str, float], partition: str = "full", hardware: str = "CUDA") -> list[str]:
    return [
        RULE,
        f"Hardware: {hardware}  Suite: lane-4-alpha  Cadence: nightly  Continue on error: True  Partition: {partition}",
        RULE,
        f"Enabled {len(files)} test(s) (est total {sum(est for _, est in files):.0f}s):",
        *(f"  - {path} (est_time={est}s)" for path, est in files),
        "",
    ]


def begin(index: int, size: int) -> list[str]:
    return [".", ".", f"Begin ({index}/{size - 1}):", "python3 /work/test.py", ".", ".", ""]


def end(index: int, size: int, path: str, elapsed: int, est: float = 400.0) -> list[str]:
    return [".", ".", f"End ({index}/{size - 1}):", f"filename='{path}', elapsed={elapsed}, _estimated_time={est}", "."]


def status(place: str, path: str, outcome: str, elapsed: int, extra: str = "") -> str:
    return f"[{place}] {path}  {outcome}  elapsed={elapsed}s{extra}"


def passing(index: int, size: int, path: str, elapsed: int, est: float = 400.0) -> list[str]:
    """One file from its Begin to its status line."""
    return [
        *begin(index, size),
        *end(index, size, path, elapsed, est),
        "##[endgroup]",
        status(f"{index + 1}/{size}", path, "PASS", elapsed),
    ]


def summary(passed: list[str], failed: dict[str, str] | None = None, total: int | None = None) -> list[str]:
    failed = failed or {}
    lines = ["", RULE, f"Test Summary: {len(passed)}/{total or len(passed) + len(failed)} passed", RULE]
    lines += ["PASSED:", *(f"  {path}" for path in passed)] if passed else []
    lines += ["", "FAILED:", *(f"  {path} ({why})" for path, why in failed.items())] if failed else []
    return [*lines, RULE, ""]


def parsed(log: bytes, chunk: int = 1 << 18, dialect: Dialect = suite_runner, told: Told = ZOO) -> ParsedLog:
    """Read bytes as the dialect reads a file, at most `chunk` at a time."""
    stream = BytesIO(log)
    scanner = dialect.scanner(told)
    for buffer, stop in blocks_of(lambda view: stream.readinto(view[:chunk])):
        scanner.feed(buffer, stop)
    assert scanner.lines == log.count(b"\n")
    return scanner.finish()


def judged(
    log: bytes, conclusion: str = "success", name: str = "lane-4-alpha (0) / run", dialect: Dialect = suite_runner
) -> JobEvidence:
    job = Job(JobId(9), name, 1, conclusion)
    return classify(RUN, JobLog(job, LogState.PRESENT, "job.log"), parsed(log, dialect=dialect))


def statuses(log: bytes, conclusion: str = "success") -> list[tuple[str, Status, int | None]]:
    """(path, status, elapsed) of each row, in plan order."""
    return [(row.path, row.status, row.elapsed_s) for row in judged(log, conclusion).rows]
