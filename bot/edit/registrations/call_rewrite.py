"""Writes new literals into registering calls, with libcst to find them and bytes kept as they are.

libcst changes some bytes it only passes through (a form feed at a statement's start, a last lone
CR). So its output is never written: each literal is replaced by a sentinel, the code is cut at
the sentinels, and only if the pieces with the old literals between them are the old text does the
position of each literal count. Then text is spliced. Whether an edit is wanted is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from bot.domain import EditRefusal, LiteralChange, RefusedEdit
from bot.edit.cst_tree import parse_module, parse_untrusted
from bot.edit.registrations.call_cst import argument_position, call_places, string_value
from bot.edit.registrations.call_sites import NoTree, parse_text
from bot.edit.registrations.contract import Rewritten
from bot.edit.registrations.label_text import Element, Insertion, align, fill_empty, insertions, is_writable
from bot.edit.source_text import SourceText, Undecodable, decode


def rewrite(raw: bytes, changes: Sequence[LiteralChange]) -> Rewritten:
    """Write each change into its call; what cannot be written is refused with its reason. Never raises."""
    source = decode(raw)
    if isinstance(source, Undecodable):
        return _all_refused(raw, changes, EditRefusal.UNDECODABLE, source.detail)
    module = _module(source.text)
    if isinstance(module, str):
        return _all_refused(raw, changes, EditRefusal.UNKNOWN_GRAMMAR, module)
    try:
        return _rewritten(raw, source, module, changes)
    except RecursionError:  # libcst writes by recursion what its parser took
        return _all_refused(raw, changes, EditRefusal.UNKNOWN_GRAMMAR, "nested too deeply")


def _rewritten(raw: bytes, source: SourceText, module: cst.Module, changes: Sequence[LiteralChange]) -> Rewritten:
    marked = _Marked(source.text, module)
    plans: list[_Plan] = []
    refused: list[RefusedEdit] = []
    for change in changes:
        plan = marked.plan(change)
        plans.append(plan) if isinstance(plan, _Plan) else refused.append(plan)
    spans = marked.spans()
    if spans is None:
        return _all_refused(raw, changes, EditRefusal.EDIT_CHECK_FAILED, "libcst does not give the same text back")
    text = _spliced(source.text, [splice for plan in plans for splice in plan.splices(source.text, spans)])
    try:
        return Rewritten(source.encode(text), tuple(plan.change for plan in plans), tuple(refused))
    except UnicodeEncodeError:
        return _all_refused(raw, changes, EditRefusal.LABEL_NOT_WRITABLE, f"not in {source.encoding}")


def _module(text: str) -> cst.Module | str:
    tree = parse_text(text)
    if isinstance(tree, NoTree):
        return parse_untrusted(text) if tree.may_be_newer else tree.detail
    return parse_module(text)


def _all_refused(raw: bytes, changes: Sequence[LiteralChange], reason: EditRefusal, detail: str) -> Rewritten:
    return Rewritten(raw, refused=tuple(RefusedEdit(change, reason, detail) for change in changes))


@dataclass(frozen=True, slots=True)
class _Plan:
    """One change with the numbers of the sentinels that stand for its literals."""

    change: LiteralChange
    est: int | None = None
    elements: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    empty_list: int | None = None
    new_labels: dict[int, list[str]] = field(default_factory=dict)
    call_text: str = ""

    def splices(self, text: str, spans: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
        """Start, end and new text of everything that changes."""
        if self.est is not None:
            yield (*spans[self.est], str(self.change.est_time))
        found: list[Insertion] = []
        if self.empty_list is not None:
            found = [fill_empty(spans[self.empty_list][0], self.call_text, self.new_labels)]
        elif self.new_labels:
            marks = zip(self.values, self.elements, strict=True)
            found = insertions(text, [Element(value, *spans[mark]) for value, mark in marks], self.new_labels)
        for insertion in found:
            yield insertion.at, insertion.at, insertion.text


class _Marked:
    """A module whose literals are being replaced by sentinels, call by call."""

    def __init__(self, text: str, module: cst.Module) -> None:
        self._text = text
        self._module = module
        self._body = list(module.body)
        self._places = list(call_places(module))
        self._prefix = _unused_prefix(text)
        self._old: list[str] = []  # by sentinel number
        self._taken: set[int] = set()

    def plan(self, change: LiteralChange) -> _Plan | RefusedEdit:
        """Mark the literals of one change."""
        if not 0 <= change.index < len(self._places):
            return RefusedEdit(change, EditRefusal.EDIT_CHECK_FAILED, "the file has no such call")
        if change.index in self._taken:
            return RefusedEdit(change, EditRefusal.EDIT_CHECK_FAILED, "a second change of one call")
        place = self._places[change.index]
        call = place.call(self._body)
        marked_before = len(self._old)
        try:
            plan, arguments = self._mark_est(_Plan(change), list(call.args))
            plan, arguments = self._mark_labels(plan, arguments)
        except _CannotError as error:
            del self._old[marked_before:]
            return RefusedEdit(change, error.reason, error.detail)
        self._taken.add(change.index)
        self._body[place.line] = place.replaced(self._body, call.with_changes(args=arguments))
        return replace(plan, call_text=self._module.code_for_node(call))

    def spans(self) -> dict[int, tuple[int, int]] | None:
        """Where each sentinel's old literal stands in the text; None where the proof fails."""
        code = self._module.with_changes(body=self._body).code
        pieces = re.split(f"{self._prefix}([0-9]+)_", code)
        spans: dict[int, tuple[int, int]] = {}
        rebuilt = [pieces[0]]
        position = len(pieces[0])
        for number, piece in zip(map(int, pieces[1::2]), pieces[2::2], strict=True):
            old = self._old[number]
            spans[number] = (position, position + len(old))
            rebuilt += [old, piece]
            position += len(old) + len(piece)
        return spans if "".join(rebuilt) == self._text and len(spans) == len(self._old) else None

    def _mark_est(self, plan: _Plan, arguments: list[cst.Arg]) -> tuple[_Plan, list[cst.Arg]]:
        if plan.change.est_time is None:
            return plan, arguments
        at = argument_position(arguments, "est_time", 0)
        node = None if at is None else arguments[at].value
        if at is None or not isinstance(node, cst.Integer | cst.Float):
            raise _CannotError(EditRefusal.EST_TIME_NOT_LITERAL)
        number, name = self._sentinel(node.value)
        arguments[at] = arguments[at].with_changes(value=name.with_changes(lpar=node.lpar, rpar=node.rpar))
        return replace(plan, est=number), arguments

    def _mark_labels(self, plan: _Plan, arguments: list[cst.Arg]) -> tuple[_Plan, list[cst.Arg]]:
        if plan.change.labels is None:
            return plan, arguments
        at = argument_position(arguments, "labels", None)
        node = None if at is None else arguments[at].value
        if at is None or not isinstance(node, cst.List):
            raise _CannotError(EditRefusal.NO_LABEL_LIST)
        present = tuple(string_value(element.value) for element in node.elements)
        plan = replace(plan, new_labels=_new_labels(present, plan.change.labels))
        if not node.elements:
            number, name = self._sentinel(self._module.code_for_node(node))
            arguments[at] = arguments[at].with_changes(value=name)
            return replace(plan, empty_list=number), arguments
        marks = [self._sentinel(self._module.code_for_node(element.value)) for element in node.elements]
        elements = [element.with_changes(value=name) for element, (_, name) in zip(node.elements, marks, strict=True)]
        arguments[at] = arguments[at].with_changes(value=node.with_changes(elements=elements))
        values = tuple(value or "" for value in present)
        return replace(plan, elements=tuple(number for number, _ in marks), values=values), arguments

    def _sentinel(self, old: str) -> tuple[int, cst.Name]:
        """A new sentinel's number, and the name that stands for the code `old`."""
        self._old.append(old)
        number = len(self._old) - 1
        return number, cst.Name(f"{self._prefix}{number}_")


class _CannotError(Exception):
    """One change cannot be made; caught where the change is planned."""

    def __init__(self, reason: EditRefusal, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def _new_labels(present: tuple[str | None, ...], wanted: tuple[str, ...]) -> dict[int, list[str]]:
    values = tuple(value for value in present if value is not None)
    if len(values) != len(present):
        raise _CannotError(EditRefusal.LABELS_NOT_LITERAL)
    new = align(values, wanted)
    if new is None:
        raise _CannotError(EditRefusal.LABEL_WOULD_GO, "present labels stay, in their order")
    if not all(is_writable(label) for labels in new.values() for label in labels):
        raise _CannotError(EditRefusal.LABEL_NOT_WRITABLE)
    return new


def _unused_prefix(text: str) -> str:
    """A prefix of sentinels that the text does not hold."""
    number = 0
    while f"__mark_{number}_" in text:  # ends: a text holds finitely many
        number += 1
    return f"__mark_{number}_"


def _spliced(text: str, splices: list[tuple[int, int, str]]) -> str:
    """The text with each range replaced. Of two insertions at one place the first given stands first."""
    pieces: list[str] = []
    position = 0
    for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])
