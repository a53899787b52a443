"""Registrations written as calls: `register_cuda_ci(est_time=3600, suite="...", labels=["..."])`.

Read as syntax, never imported. The parts: `call_names` (the name), `call_sites` (where calls are),
`call_arguments` (what one says), `call_rewrite` (changing one). Any bytes give an answer.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, replace

from bot.domain import BlobSha, EditRefusal, RefusedCall, Registration, RegistrationKey, SourceRegistrations, TestPath
from bot.edit.registrations.call_arguments import Binder, CallArguments, Unbound, bind
from bot.edit.registrations.call_comments import mentions_seconds
from bot.edit.registrations.call_compare import same_but_literals
from bot.edit.registrations.call_names import backend_of, mentions
from bot.edit.registrations.call_rewrite import rewrite
from bot.edit.registrations.call_sites import Program, Unparsed, parse_program
from bot.edit.registrations.contract import CallLiterals, Example
from bot.edit.source_text import MAX_SOURCE_BYTES, SourceText, Undecodable, decode

MAX_CALLS = 1000  # of one file; the most in radixark/miles is 2
__all__ = ["EXAMPLES", "literals", "mentions", "read", "rewrite", "same_but_literals"]


def read(path: TestPath, blob: BlobSha, raw: bytes, binder: Binder = bind) -> SourceRegistrations:
    """All calls of one file, and what was refused. A function of the bytes alone; never raises.

    A registration whose est_time cannot be known has `est_time` 0.0 and its refusal. Labels that are
    no list make the registry reject the whole file, so they refuse every call of it.
    """
    if not mentions(raw):
        return SourceRegistrations(path, blob)
    opened = _open(raw)
    if isinstance(opened, Unbound):
        return SourceRegistrations(path, blob, refused=(RefusedCall(path, 0, opened.reason, opened.detail),))
    file = _File(path, blob, opened.program, binder)
    registrations: list[Registration] = []
    refused = [RefusedCall(path, stray.line, stray.reason, stray.detail) for stray in opened.program.strays]
    for index, call in enumerate(opened.program.calls):
        found = file.registration(index, call)
        registrations.append(found) if isinstance(found, Registration) else refused.append(found)
    refused.sort(key=lambda call: call.line)
    return SourceRegistrations(path, blob, _judged_together(registrations), tuple(refused))


def literals(raw: bytes, binder: Binder = bind) -> tuple[CallLiterals, ...]:
    """Where the editable literals stand, as byte ranges; nothing for bytes that cannot be read."""
    opened = _open(raw) if mentions(raw) else None
    if not isinstance(opened, _Opened):
        return ()
    found: list[CallLiterals] = []
    to_bytes = opened.source.byte_offsets()
    for index, call in enumerate(opened.program.calls):
        bound = binder(call)
        if isinstance(bound, CallArguments):
            nodes = (bound.est_node if bound.est_refusal is None else None, bound.label_node)
            spans = [_span(opened.program, node) if node else None for node in nodes]
            est, labels = ((to_bytes(span[0]), to_bytes(span[1])) if span else None for span in spans)
            found.append(CallLiterals(index, est, labels))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Opened:
    source: SourceText
    program: Program


def _open(raw: bytes) -> _Opened | Unbound:
    if len(raw) > MAX_SOURCE_BYTES:
        return Unbound(EditRefusal.FILE_TOO_LARGE, f"{len(raw)} bytes")
    source = decode(raw)
    if isinstance(source, Undecodable):
        return Unbound(EditRefusal.UNDECODABLE, source.detail)
    program = parse_program(source.text)
    if isinstance(program, Unparsed):
        return Unbound(EditRefusal.UNKNOWN_GRAMMAR, program.detail)
    if len(program.calls) > MAX_CALLS:
        return Unbound(EditRefusal.FILE_TOO_LARGE, f"{len(program.calls)} calls")
    return _Opened(source, program)


@dataclass(frozen=True, slots=True)
class _File:
    path: TestPath
    blob: BlobSha
    program: Program
    binder: Binder

    def registration(self, index: int, call: ast.Call) -> Registration | RefusedCall:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        bound = self.binder(call)
        if name in self.program.own:
            bound = Unbound(EditRefusal.NAME_DEFINED_HERE, f"the file itself defines {name}")
        elif not self._as_written(call, name):
            bound = Unbound(EditRefusal.ALIASED_IMPORT, f"{name} in other characters")
        if isinstance(bound, Unbound):
            return RefusedCall(self.path, call.lineno, bound.reason, bound.detail)
        start, end = _span(self.program, bound.est_node)
        last = call.end_lineno or call.lineno
        return Registration(
            key=RegistrationKey(self.path, backend_of(name), bound.suite),
            blob=self.blob,
            index=index,
            line=call.lineno,
            end_line=last,
            est_line=bound.est_node.lineno,
            est_time=bound.est_time,
            est_text=self.program.lines.text[start:end],
            labels=bound.labels,
            nightly=bound.nightly,
            disabled=bound.disabled,
            hardware=bound.hardware,
            est_refusal=bound.est_refusal,
            label_refusal=bound.label_refusal,
            comment_mentions_seconds=mentions_seconds(self.program.lines, call.lineno, last),
        )

    def _as_written(self, call: ast.Call, name: str) -> bool:
        """False where Python normalised the identifier (NFKC): the text holds other characters."""
        start = self.program.lines.offset(call.func.lineno, call.func.col_offset)
        return self.program.lines.text.startswith(name, start)


def _span(program: Program, node: ast.expr) -> tuple[int, int]:
    """Character offsets of a node; `ast` leaves parentheses around a constant out."""
    lines = program.lines
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return lines.offset(node.lineno, node.col_offset), lines.offset(end_line, end_column)


def _judged_together(registrations: list[Registration]) -> tuple[Registration, ...]:
    """Refusals that come from another call of the same file; one that stands already is kept."""
    not_a_list = any(r.label_refusal is EditRefusal.LABELS_NOT_A_LIST for r in registrations)
    keys = Counter(r.key for r in registrations if r.active)
    return tuple(
        _refused(r, EditRefusal.LABELS_NOT_A_LIST)
        if not_a_list
        else _refused(r, EditRefusal.AMBIGUOUS_KEY)
        if r.active and keys[r.key] > 1
        else r
        for r in registrations
    )


def _refused(registration: Registration, reason: EditRefusal) -> Registration:
    return replace(
        registration,
        est_refusal=registration.est_refusal or reason,
        label_refusal=registration.label_refusal or reason,
    )


EXAMPLES: tuple[Example, ...] = (
    Example(
        "keywords on one line",
        before=b'register_cuda_ci(est_time=3600, suite="s", labels=["gamma"])\n',
        after=b'register_cuda_ci(est_time=1300, suite="s", labels=["alpha", "gamma", "beta"])\n',
        est_time=1300,
        labels=("alpha", "gamma", "beta"),
    ),
    Example(
        "positional estimate and suite",
        before=b'register_cuda_ci(700, "stage-q-4-gpu", labels=["alpha"])\n',
        after=b'register_cuda_ci(600, "stage-q-4-gpu", labels=["alpha"])\n',
        est_time=600,
    ),
    Example(
        "several lines with a comment",
        before=b'register_cuda_ci(\n    suite="s",\n    est_time=1800,  # placeholder\n    labels=["alpha"],\n)\n',
        after=b'register_cuda_ci(\n    suite="s",\n    est_time=900,  # placeholder\n    labels=["alpha"],\n)\n',
        est_time=900,
    ),
    Example(
        "the second call of a file, CRLF, no newline at the end",
        before=b'register_cuda_ci(60, "s")\r\nregister_rocm_ci(50, "s")',
        after=b'register_cuda_ci(60, "s")\r\nregister_rocm_ci(70, "s")',
        index=1,
        est_time=70,
    ),
)
