"""Text in a grammar newer than this interpreter's: keep the statements that matter, blank the rest.

libcst accepts grammar (PEP 695, 696, 701) that Python 3.11's `ast` does not. Every statement
without a given name is replaced by its newlines, so that `ast` reads the remainder with lines
and columns unchanged. Only simple statements are kept; a compound one is looked through for calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from bot.edit.cst_tree import parse_untrusted

_NOT_NEWLINE = re.compile(r"[^\r\n]+")
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Reduced:
    """`text` with the lines and columns of the original; `nested`: 1-based lines of calls inside the rest."""

    text: str
    nested: tuple[int, ...]


def reduce_program(text: str, name: re.Pattern[str]) -> Reduced | str:
    """Keep what mentions `name` in a top-level simple statement; or why that cannot be done."""
    module = parse_untrusted(text)
    if isinstance(module, str):
        return module
    try:
        return _reduced(text, module, name)
    except RecursionError:  # libcst writes by recursion what its parser took
        return "nested too deeply"


def _reduced(text: str, module: cst.Module, name: re.Pattern[str]) -> Reduced | str:
    kept: list[str] = []
    nested: list[int] = []
    line = 1
    for chunk, statement in _chunks(module):
        simple = statement is None or isinstance(statement, cst.SimpleStatementLine)
        if simple and name.search(chunk):
            kept.append(chunk)
        else:
            kept.append(_NOT_NEWLINE.sub("", chunk))
            if isinstance(statement, cst.BaseCompoundStatement) and _calls(statement, name):
                nested.append(line + _newlines_before(chunk, name))
        line += len(_NEWLINE.findall(chunk))
    if sum(map(len, kept)) > len(text) or module.code != text:
        return "libcst does not give the same text back"
    return Reduced("".join(kept), tuple(nested))


def _chunks(module: cst.Module) -> Iterator[tuple[str, cst.CSTNode | None]]:
    """The module's code in pieces, each with its top-level statement (None: comments and blank lines)."""
    for empty in module.header:
        yield module.code_for_node(empty), None
    for statement in module.body:
        yield module.code_for_node(statement), statement


def _newlines_before(chunk: str, name: re.Pattern[str]) -> int:
    match = name.search(chunk)
    return len(_NEWLINE.findall(chunk, 0, match.start())) if match else 0


def _calls(statement: cst.CSTNode, name: re.Pattern[str]) -> bool:
    finder = _CallFinder(name)
    statement.visit(finder)
    return finder.found


class _CallFinder(cst.CSTVisitor):
    def __init__(self, name: re.Pattern[str]) -> None:
        super().__init__()
        self.name = name
        self.found = False

    def visit_Call(self, node: cst.Call) -> bool:  # noqa: N802 - libcst names the hook
        called = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        if isinstance(called, cst.Name) and self.name.fullmatch(called.value):
            self.found = True
        return not self.found
