r"""Writes `lines.txt`: the log lines that `evidence.csv` rests on, so that it can be recomputed.

GitHub drops job logs after a while; these lines stay. The format, UTF-8 with LF, fields divided by a tab:

    recalibrate-lines       1
    log     jobs/7/job-7.log        <SHA-256>       <job conclusion>        present
    239     plan    2026-08-20T15:00:00.0000000Z   - tests/e2e/zoo/test_otter.py (est_time=400)
    475     timing  …filename='tests/e2e/zoo/test_otter.py', elapsed=310, _estimated_time=400.0
    480     status  …[1/2] tests/e2e/zoo/test_otter.py  PASS  elapsed=309s
    1408    summary …  tests/e2e/zoo/test_otter.py

A `log` line opens the lines of one log; its last field is `absent` where the log was not at hand any
more. A cited line is its 1-based number over LF, the roles it is cited in (joined by commas, with
`cut` where only its first bytes are kept) and its text: decoded as UTF-8 with replacement,
a backslash written as `\\`, control and bidirectional characters as `\x1b` or `\u202e`.

To recompute a row: its elapsed seconds stand in its timing line after `elapsed=`; it passed where its
status line says PASS, it has a timing line, and a summary line names its file; every file of a `plan`
line is one row. Opening logs is `bot.publish.log_lines`' part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.domain import Evaluation, JobId, LogState, RunId, ScheduledFile
from bot.publish.evidence_csv import cited_rows
from bot.publish.lookup import counted_jobs, log_name
from bot.publish.parts import Line
from bot.publish.visible import visible

LINE_LIMIT = 4096  # bytes kept of one cited line
TITLE = b"recalibrate-lines\t1\n"
_ROLES = ("plan", "timing", "status", "summary", "doubt")


@dataclass(frozen=True, slots=True)
class CitedLog:
    """A log and the lines of it that rows cite: line number → roles, in the order of the numbers."""

    source: str  # as in the CSV's source_log
    path: str  # on disk, "" where the log is not at hand
    sha256: str
    conclusion: str
    roles: Mapping[int, tuple[str, ...]]
    run: tuple[RunId, int]  # and its attempt


@dataclass(frozen=True, slots=True)
class CitedText:
    """One cited line's first bytes. `cut` says that the line is longer."""

    raw: bytes
    cut: bool = False


def cited_logs(evaluation: Evaluation) -> tuple[CitedLog, ...]:
    """Which lines of which logs the rows cite; logs in the order in which the rows name them first."""
    jobs = {row.job_id: job for _, job in counted_jobs(evaluation) for row in job.rows}
    roles: dict[JobId, dict[int, set[str]]] = {}
    runs: dict[JobId, tuple[RunId, int]] = {}
    for row in cited_rows(evaluation):
        runs.setdefault(row.job_id, (row.run_id, row.attempt))
        for number, role in _citations(row):
            roles.setdefault(row.job_id, {}).setdefault(number, set()).add(role)
    found = []
    for job_id, numbers in roles.items():
        log = jobs[job_id].log
        ordered = {n: tuple(role for role in _ROLES if role in numbers[n]) for n in sorted(numbers)}
        path = log.path if log.state is LogState.PRESENT else ""
        found.append(CitedLog(log_name(job_id), path, log.sha256, log.job.conclusion, ordered, runs[job_id]))
    return tuple(found)


def line_records(logs: Sequence[CitedLog], texts: Mapping[str, Mapping[int, CitedText]]) -> Iterator[tuple[Line, ...]]:
    """The records after the title, run by run; what a run gives does not depend on the other runs."""
    for _, those in groupby(logs, key=lambda log: log.run):
        yield tuple(line for log in those for line in _log_records(log, texts.get(log.source)))


def _log_records(log: CitedLog, held: Mapping[int, CitedText] | None) -> Iterator[Line]:
    state = "absent" if held is None else "present"
    opening = _record("log", log.source, log.sha256, _field(log.conclusion), state)
    yield Line(opening)
    for number, roles in log.roles.items():
        text = (held or {}).get(number)
        if text is not None:
            marks = (*roles, "cut") if text.cut else roles
            yield Line(_record(str(number), ",".join(marks), _field(text.raw.decode(errors="replace"))), opening)


def _record(*fields: str) -> bytes:
    return ("\t".join(fields) + "\n").encode()


def _citations(row: ScheduledFile) -> tuple[tuple[int, str], ...]:
    numbers = (row.plan_line, row.timing_line, row.status_line, row.summary_line, row.doubt_line)
    cited = zip(numbers, _ROLES, strict=True)
    return tuple((number, role) for number, role in cited if number)


def _field(text: str) -> str:
    return visible(text.replace("\\", "\\\\"))
