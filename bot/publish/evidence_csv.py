"""Writes `evidence.csv`: one row for each scheduled file of each job, in bytes that never vary.

The first seventeen columns keep the names and order of an older tool of one served repository, so
that its readers go on working. A carried-over job's rows stand once, under the attempt in which the
job ran. The contract is docs/architecture.md, "Evidence". Deciding and rendering for people happen
elsewhere.
"""

from __future__ import annotations

import csv

from bot.domain import Decision, Evaluation, Keep, KeepReason, Proposal, RejectionReason, ScheduledFile, Status
from bot.publish.lookup import Lookup, counted_jobs, log_name, lookup

COLUMNS = (
    "workflow_run_id",
    "job_id",
    "job_name",
    "suite",
    "partition_id",
    "partition_size",
    "test_file",
    "status",
    "elapsed_s",
    "logged_est_s",
    "current_est_s",
    "proposed_est_s",
    "action",
    "source_log",
    "timing_line",
    "status_line",
    "note",
    "run_attempt",
    "backend",
    "head_sha",
    "blob_at_head",
    "blob_at_base",
    "identity",
    "runner_name",
)

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # OWASP, "CSV Injection"
_IMPORTS_NAMED = 3
_CRLF = "\r\n"
_EXACT_FLOAT = 2**53  # above it a float is no longer every integer


class _Lines:
    """Takes one row a call from the csv module and ends it with LF.

    The module quotes the characters of its line terminator, and before Python 3.13 no other line
    break: with CR LF as its terminator, a CR or LF in a cell is always quoted.
    """

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, line: str) -> None:
        self.written.append((line.removesuffix(_CRLF) + "\n").encode("utf-8", "backslashreplace"))


def evidence_csv(evaluation: Evaluation) -> bytes:
    """The whole file: UTF-8 without BOM, LF, minimal quoting, a head line and the rows.

    Rows stand by run, attempt, suite, partition and plan order. Lone surrogates are spelled out.
    """
    return b"".join(csv_records(evaluation))


def csv_records(evaluation: Evaluation) -> tuple[bytes, ...]:
    """The file's head line and rows, each with its line end."""
    lines = _Lines()
    csv.writer(lines, quoting=csv.QUOTE_MINIMAL, lineterminator=_CRLF).writerows((COLUMNS, *evidence_rows(evaluation)))
    return tuple(lines.written)


def evidence_rows(evaluation: Evaluation) -> tuple[tuple[str, ...], ...]:
    """The rows as they are written, each with one cell a column."""
    known = lookup(evaluation)
    return tuple(tuple(map(guarded, _cells(known, row))) for row in cited_rows(evaluation))


def cited_rows(evaluation: Evaluation) -> tuple[ScheduledFile, ...]:
    """The scheduled files that have a row, in the file's order."""
    rows = [row for _, job in counted_jobs(evaluation) for row in job.rows]
    return tuple(sorted(rows, key=lambda r: (r.run_id, r.attempt, r.suite, r.partition_id, r.plan_index, r.job_id)))


def guarded(cell: str) -> str:
    """The cell, with a leading `'` where a spreadsheet would run it as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def number(value: float | None) -> str:
    """An integer without `.0`, another number in its shortest exact form, nothing for None."""
    if value is None:
        return ""
    whole = float(value).is_integer() and abs(value) <= _EXACT_FLOAT
    return str(int(value)) if whole else repr(value)


def action(known: Lookup, row: ScheduledFile) -> str:
    """What is done about the row's key: `raise`, `lower`, `keep`, `skip` or `report_only`."""
    key = known.key(row)
    if known.report_only(key):
        return "report_only"
    decision = known.decisions.get(key)
    return "skip" if decision is None or key in known.refused else decision.action


def _cells(known: Lookup, row: ScheduledFile) -> tuple[str, ...]:
    decision = known.decisions.get(known.key(row))
    doing = action(known, row)
    verdict, check = known.identity(row)
    return (
        number(row.run_id),
        number(row.job_id),
        row.job_name,
        row.suite,
        number(row.partition_id),
        number(row.partition_size),
        row.path,
        row.status.value,
        number(row.elapsed_s),
        number(row.logged_est_s),
        number(_current(decision)),
        number(_proposed(decision) if decision and doing != "skip" and known.used(row) else None),
        doing,
        log_name(row.job_id),
        number(row.timing_line),
        number(row.status_line or row.summary_line or row.plan_line),
        _note(known, row, doing),
        number(row.attempt),
        row.backend,
        row.head_sha,
        (check.blob_at_head if check else None) or "",
        (check.blob_at_base if check else None) or "",
        verdict.value if verdict else "",
        row.runner_name,
    )


def _current(decision: Decision | None) -> float | None:
    """The literal's value; None where there is no registration, or its value is computed and so not known."""
    if decision is None or (decision.registration.est_refusal and not decision.registration.est_time):
        return None
    return decision.registration.est_time


def _proposed(decision: Decision) -> float | None:
    """The value the measurement asks for, also where a named reason holds it back."""
    if isinstance(decision, Proposal):
        return decision.after
    if decision.held is not None:
        return decision.held
    return decision.estimate.value_s if decision.estimate else None


def _note(known: Lookup, row: ScheduledFile, doing: str) -> str:
    """What else to know, parts joined by `; `: the log's note, then `unused:`, `held:` or `refused:` and a reason.

    Behind `unused:import_changed` stands `import:` with each of the first files that differ, and how.
    """
    key = known.key(row)
    decision = known.decisions.get(key)
    unused = known.unused_reason(row)
    parts = [row.note, f"unused:{unused}" if unused else ""]
    if unused == RejectionReason.IMPORT_CHANGED:
        _, check = known.identity(row)
        named = check.imports[:_IMPORTS_NAMED] if check else ()
        parts += [f"import:{one}".replace(";", "\\x3b") for one in named]
    if row.status is Status.PASSED and not unused:
        if key in known.refused:
            parts.append(f"refused:{known.refused[key].reason.value}")
        elif isinstance(decision, Keep) and decision.reason is not KeepReason.EQUAL and doing != "report_only":
            refusal = decision.registration.est_refusal
            parts.append(f"refused:{refusal.value}" if refusal else f"held:{decision.reason.value}")
    return "; ".join(part for part in parts if part)
