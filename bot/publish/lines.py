r"""Writes and reads `lines.txt`: the log lines that `evidence.csv` rests on, so that it can be recomputed.

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

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.domain import Evaluation, JobId, LogState, RunId, ScheduledFile
from bot.errors import UserError
from bot.publish.evidence_csv import cited_rows
from bot.publish.lookup import counted_jobs, log_name
from bot.publish.parts import Line
from bot.publish.visible import visible

LINE_LIMIT = 4096  # bytes kept of one cited line
_TITLE_TEXT = "recalibrate-lines\t1"
TITLE = f"{_TITLE_TEXT}\n".encode()
_ROLES = ("plan", "timing", "status", "summary", "doubt")
_ESCAPED = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


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


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line as `read_lines` gives it back."""

    roles: tuple[str, ...]
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ReadLog:
    """One log as `read_lines` gives it back."""

    source: str
    sha256: str
    conclusion: str
    present: bool
    lines: Mapping[int, ReadLine]


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


def lines_txt(logs: Sequence[CitedLog], texts: Mapping[str, Mapping[int, CitedText]]) -> bytes:
    """The whole file. `texts` maps a log's `source` to its cited lines; a log missing there is `absent`."""
    return b"".join((TITLE, *(line.raw for run in line_records(logs, texts) for line in run)))


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


def read_lines(raw: bytes) -> tuple[ReadLog, ...]:
    """What `lines_txt` wrote.

    Raises:
        UserError: the bytes are not of this format; the message names the line.
    """
    title, *rest = raw.decode(errors="replace").removesuffix("\n").split("\n")
    if title != _TITLE_TEXT:
        raise UserError("lines.txt: line 1: not a recalibrate-lines file of version 1")
    logs: list[ReadLog] = []
    lines: dict[int, ReadLine] = {}
    for place, text in enumerate(rest, start=2):
        fields = text.split("\t")
        if fields[0] == "log" and len(fields) == 5:
            lines = {}
            logs.append(ReadLog(fields[1], fields[2], _unfield(fields[3]), fields[4] == "present", lines))
        elif logs and len(fields) == 3 and re.fullmatch("[0-9]{1,12}", fields[0]):
            marks = tuple(fields[1].split(","))
            roles = tuple(mark for mark in marks if mark != "cut")
            lines[int(fields[0])] = ReadLine(roles, _unfield(fields[2]), "cut" in marks)
        else:
            raise UserError(f"lines.txt: line {place}: neither a log nor a cited line")
    return tuple(logs)


def _citations(row: ScheduledFile) -> tuple[tuple[int, str], ...]:
    numbers = (row.plan_line, row.timing_line, row.status_line, row.summary_line, row.doubt_line)
    cited = zip(numbers, _ROLES, strict=True)
    return tuple((number, role) for number, role in cited if number)


def _field(text: str) -> str:
    return visible(text.replace("\\", "\\\\"))


def _unfield(text: str) -> str:
    def char(found: re.Match[str]) -> str:
        if found[1]:
            return "\\"
        return chr(min(int(found[2] or found[3] or found[4], 16), 0x10FFFF))

    return _ESCAPED.sub(char, text)
