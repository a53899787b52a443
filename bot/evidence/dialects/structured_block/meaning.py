"""What a log with a block of timings says: the block alone tells how each file ended, and after how long.

A plan around it tells suite and estimates; without one the block's files are the plan. The last
block of a log counts, for a test may print one before. Markers without a block that can be read
are an error: the files are unknown, and nothing else of the log stands in for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.domain import (
    Backend,
    Contradiction,
    FileRecord,
    LogNote,
    Outcome,
    ParsedLog,
    Plan,
    PlannedFile,
    Suite,
    TestPath,
    Try,
)
from bot.evidence.dialects.paths import Roots
from bot.evidence.dialects.structured_block.block import Block, Entry

MAX_UNSCHEDULED: Final = 20
_OWN_NOTES: Final = frozenset({LogNote.NO_SUMMARY, LogNote.NO_PLAN, LogNote.NO_PER_FILE_TIMING})


def meaning(around: ParsedLog, blocks: Sequence[Block], roots: Roots) -> ParsedLog:
    """`around` is what the rest of the log says; its records of single files are not used."""
    block = blocks[-1] if blocks else None
    if block is None or not block.readable:
        return _without_block(around, LogNote.BLOCK_UNREADABLE if block else LogNote.NO_BLOCK)
    entries = [replace(entry, path=roots.relative(entry.path)) for entry in block.entries]
    plan = around.plan if around.plan and around.plan.files else _planned(entries, block, around.plan)
    planned = {file.path for file in plan.files}
    strangers = [TestPath(entry.path) for entry in entries if entry.path not in planned]
    return replace(
        around,
        plan=plan,
        records={path: record for path, record in _records(entries, around).items() if path in planned},
        summary_line=block.line,
        notes=tuple(note for note in around.notes if note not in _OWN_NOTES),
        unscheduled=tuple(strangers[:MAX_UNSCHEDULED]),
    )


def _without_block(around: ParsedLog, note: LogNote) -> ParsedLog:
    """Nothing is known of the plan's files; where the log merely ends early the job's end tells the rest."""
    files = around.plan.files if around.plan else ()
    unknown = FileRecord(contradiction=Contradiction.UNREADABLE_BLOCK)
    kept = tuple(one for one in around.notes if one not in _OWN_NOTES or (one is LogNote.NO_PLAN and not files))
    return replace(
        around,
        records={file.path: unknown for file in files} if note is LogNote.BLOCK_UNREADABLE else {},
        summary_line=None,
        notes=(*kept, note),
    )


def _planned(entries: Sequence[Entry], block: Block, header: Plan | None) -> Plan:
    """The block's own files as a plan, without estimates; its suite is the header's where there is one."""
    first = {entry.path: entry for entry in reversed(entries)}
    files = tuple(PlannedFile(TestPath(entry.path), 0.0, entry.line) for entry in entries if first[entry.path] is entry)
    if header is not None:
        return replace(header, files=files)
    return Plan(Suite(""), Backend(""), 0, 1, block.line, files)


def _records(entries: Sequence[Entry], around: ParsedLog) -> Mapping[TestPath, FileRecord]:
    """One record a file; two entries of one contradict each other, and so does the pass of one that still runs."""
    found: dict[TestPath, FileRecord] = {}
    for entry in entries:
        path = TestPath(entry.path)
        record = _record(entry, _outcome(entry, around.records.get(path)))
        doubtful = path in found or (entry.passed and _still_runs(around.records.get(path)))
        found[path] = replace(record, contradiction=Contradiction.MORE_STATUSES_THAN_ENDS) if doubtful else record
    return found


def _still_runs(told: FileRecord | None) -> bool:
    """True for a file that began and never ended: a block says nothing of it yet, whoever printed the block."""
    return told is not None and told.begun > len(told.tries)


def _outcome(entry: Entry, told: FileRecord | None) -> Outcome | None:
    """The block tells passed and not; that a file was killed only the summary's list of failures says."""
    if entry.passed is None:
        return None
    if entry.passed:
        return Outcome.PASS
    return Outcome.TIMEOUT if told is not None and told.failed_reason.startswith("timeout ") else Outcome.FAIL


def _record(entry: Entry, outcome: Outcome | None) -> FileRecord:
    one = Try(1, outcome, entry.elapsed_s, timing_line=entry.line, status_line=entry.line)
    passed = outcome is Outcome.PASS
    return FileRecord(
        tries=(one,),
        begun=1,
        passed_line=entry.line if passed else None,
        failed_line=None if passed or outcome is None else entry.line,
    )
