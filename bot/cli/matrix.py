"""`recalibrate matrix`: every way to share two files' configurations out, with what each saves.

Prints a report. Edits nothing: `--patch` writes a patch for a person, which takes rows out of the two
lists and does nothing else.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.cli.measuring import Measured, Sources, Tell, measure
from bot.domain import MatrixAnswer, RefusedMatrix, TestPath
from bot.errors import UserError
from bot.publish.matrix_text import matrix_refusal, matrix_report
from bot.publish.patch import patch
from bot.tasks.explaining import all_traces, told_by_logs
from bot.tasks.matrices import MatrixQuestion, answer, halved, jobs_of, texts_of


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """What was asked for. `split` is the number of the one that `patch` is of; `patch` None: no patch."""

    sources: Sources
    files: tuple[TestPath, TestPath]
    patch: Path | None = None
    split: int = 1


async def matrix(options: MatrixOptions, tell: Tell) -> str:
    """The report as Markdown.

    Raises:
        UserError: something a person can fix, with the way; no patch was written then.
    """
    measured = await measure(options.sources, tell)
    jobs = jobs_of(measured.evaluation, options.files)
    told = await asyncio.to_thread(told_by_logs, jobs, measured.config)
    traces = all_traces(measured.evaluation.runs, told, measured.config)
    texts = texts_of(measured.gathered, options.files)
    asked = MatrixQuestion(options.files, measured.evaluation, texts, measured.policy, traces)
    found = answer(asked)
    if isinstance(found, RefusedMatrix):
        raise UserError(matrix_refusal(found))
    if options.patch is not None:
        _write_patch(options.patch, _patch(options, found, measured))
    return matrix_report(found)


def _patch(options: MatrixOptions, found: MatrixAnswer, measured: Measured) -> bytes:
    if not 1 <= options.split <= len(found.splits):
        raise UserError(f"--split {options.split}: there are {len(found.splits)} splits, counted from 1")
    edits = halved(found, found.splits[options.split - 1], measured.gathered)
    if isinstance(edits, RefusedMatrix):
        raise UserError(matrix_refusal(edits))
    return patch(edits)


def _write_patch(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}; give a file for --patch") from None
