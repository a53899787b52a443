"""What a log says of its plan and its files, from the lines that have the runner's form.

Tests print plans, timings, status lines and summaries themselves. A plan counts where it was
printed before execution, a summary where it comes last and fits the plan; `files` does the same
for the records of each file. What a record means for a file's status is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.domain import Backend, LogNote, ParsedLog, Plan, PlannedFile, Suite, TestPath
from bot.evidence.dialects.suite_runner.files import Files
from bot.evidence.dialects.suite_runner.found import Found, PlanBlock, SummaryBlock
from bot.evidence.dialects.suite_runner.records import Header, Section

NAME: Final = "suite_runner"
_NO_HEADER: Final = Header("", "", "", 0, 1)


Settle = Callable[[Files, SummaryBlock | None], None]


def _as_recorded(_files: Files, _summary: SummaryBlock | None) -> None:
    """The status lines say how each try ended."""


def resolve(found: Found, name: str = NAME, settle: Settle = _as_recorded) -> ParsedLog:
    """Everything the log says, from the lines found in it.

    `settle` may say how the tries of each file ended, where a runner writes no status lines.
    """
    block = _executed(found)
    plan = _plan(block) if block else None
    files = Files(plan) if plan else Files.empty()
    files.read(found)
    summary = None if found.overflow else _summary(found.summaries, files)
    settle(files, summary)
    return ParsedLog(
        dialect=name,
        plan=plan,
        records=files.records(summary),
        summary_line=summary.line if summary else None,
        tested_sha=found.head.checkouts[0].sha if found.head.checkouts else None,
        runner_name=found.head.runner_name,
        job_name=found.head.job_name,
        notes=_notes(found, block, files, summary),
        unscheduled=tuple(files.unscheduled),
        checkouts=tuple(found.head.checkouts),
    )


# -------------------------------------------------------------------------------- plan


def _executed(found: Found) -> PlanBlock | None:
    """The plan that was executed: the last one printed in the step of the first Begin, before it.

    stdout may come after stderr, so the plan may also follow that Begin. Where nothing began, and
    where that step printed none, the last plan before it stands.
    """
    if not found.plans:
        return None
    if not found.brackets:
        return found.plans[-1]
    line, step, _ = found.brackets[0]
    own = [plan for plan in found.plans if plan.step == step]
    before = [plan for plan in own if plan.line < line] or own[:1]
    return before[-1] if before else found.plans[-1]


def _plan(block: PlanBlock) -> Plan:
    header = block.header or _NO_HEADER
    return Plan(
        suite=Suite(header.suite),
        backend=Backend(header.backend),
        partition_id=header.partition_id,
        partition_size=header.partition_size,
        line=block.line,
        files=tuple(PlannedFile(TestPath(path), est_s, line, implicit) for path, est_s, implicit, line in block.files),
        disabled=tuple(TestPath(path) for path in block.disabled),
        cadence=header.cadence,
    )


# ----------------------------------------------------------------------------- summary


def _summary(blocks: list[SummaryBlock], files: Files) -> SummaryBlock | None:
    """The runner's own final summary: after the last Begin and End, about this plan; the last wins.

    A summary without its header line is taken only where no block has one.
    """
    late = [block for block in blocks if block.line > files.last_line and _about(block, files)]
    return next(
        (block for block in reversed(late) if block.total is not None),
        next((block for block in reversed(late) if block.total is None), None),
    )


def _about(block: SummaryBlock, files: Files) -> bool:
    """True where counts and names fit, and a file that never ended is listed as failed."""
    passed = [path for path, _, _ in block.lists.get(Section.PASSED, []) if path in files.grown]
    failed = {path for path, _, _ in block.lists.get(Section.FAILED, [])}
    unended = {path for path, grown in files.grown.items() if grown.unfinished}
    if not unended <= failed:
        return False
    if block.total is None:
        return all(path in files.grown for path, _, _ in block.lists.get(Section.PASSED, []))
    if block.total != files.size or len(passed) > (block.passed or 0):
        return False
    return not block.closed or len(passed) == block.passed


# ------------------------------------------------------------------------------- notes


def _notes(found: Found, block: PlanBlock | None, files: Files, summary: SummaryBlock | None) -> tuple[LogNote, ...]:
    notes: list[LogNote] = []
    if block is None:
        notes.append(LogNote.NO_TESTS if found.no_tests else LogNote.NO_PLAN)
    elif not block.announced:
        notes.append(LogNote.NO_TESTS)
    elif _in_one_session(found, block, files):
        notes.append(LogNote.NO_PER_FILE_TIMING)
    elif summary is None:
        notes.append(LogNote.NO_SUMMARY)
    if block and not block.complete:
        notes.append(LogNote.PLAN_SHORT)
    if block and any(_differs(other, block) for other in found.plans if other.line < block.line):
        notes.append(LogNote.PLANS_DIFFER)
    if found.overflow:
        notes.append(LogNote.TOO_MANY_RECORDS)
    return tuple(notes)


def _in_one_session(found: Found, block: PlanBlock, files: Files) -> bool:
    """CPU suites run in one pytest process (`build_cpu_pytest_cmd` of the runner)."""
    cpu = block.header is not None and block.header.backend == "cpu"
    return (cpu or found.session) and not files.any_record


def _differs(other: PlanBlock, block: PlanBlock) -> bool:
    """Two plans of one partition that list different files or estimates."""
    if (other.header or _NO_HEADER) != (block.header or _NO_HEADER):
        return False
    return [entry[:2] for entry in other.files] != [entry[:2] for entry in block.files]
