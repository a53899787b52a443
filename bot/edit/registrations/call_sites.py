"""Finds the registering calls of one program: the top-level ones that count, and the strays that do not.

The suite runner reads only top-level expression statements that call the bare name
(radixark/miles tests/ci/ci_register.py, `RegistryVisitor.visit_Module`); anything else that looks
like a registration is a stray, and editing it would change code that CI ignores. What a call's
arguments say is `call_arguments`' business.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain import EditRefusal
from bot.edit.registrations.call_names import NAME, is_name
from bot.edit.registrations.newer_grammar import reduce_program
from bot.edit.source_text import Lines

MOST_ALIASES = 64  # each is looked for at every word

# CPython 3.11 counts the depth of all threads' trees in one place, and a thread may be left in the middle of one where
# a garbage collection runs Python code: `SystemError: AST constructor recursion depth mismatch`. The filters of
# `warnings` are shared as well.
_ONE_AT_A_TIME = threading.RLock()


@dataclass(frozen=True, slots=True)
class Stray:
    """A call, by 1-based line, that the suite runner would not read as a registration."""

    line: int
    reason: EditRefusal
    detail: str


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed file. `calls[i]` is the call with index i; `own` holds the names the file itself binds."""

    tree: ast.Module
    lines: Lines
    calls: tuple[ast.Call, ...]
    own: frozenset[str]
    strays: tuple[Stray, ...]


@dataclass(frozen=True, slots=True)
class Unparsed:
    """Why no grammar at hand reads the text."""

    detail: str


def parse_program(text: str) -> Program | Unparsed:
    """Parse source text (without BOM) and find its registering calls. Never raises."""
    tree = parse_text(text)
    if isinstance(tree, ast.Module):
        return _program(tree, text, Lines(text), ())
    if not tree.may_be_newer:
        return Unparsed(tree.detail)
    newer = _newer_program(text, NAME)
    if isinstance(newer, Program):
        aliases = _TopLevel(newer.tree).aliases
        if len(aliases) > MOST_ALIASES:
            return Unparsed(f"more than {MOST_ALIASES} other names for the registering functions")
        if aliases:  # their calls do not hold the name, so a first look blanks them
            names = "|".join(rf"\b{re.escape(alias)}\b" for alias in sorted(aliases))
            newer = _newer_program(text, re.compile(f"{NAME.pattern}|{names}"))
    return newer if isinstance(newer, Program) else Unparsed(f"{tree.detail}; {newer.detail}")


def _newer_program(text: str, names: re.Pattern[str]) -> Program | Unparsed:
    reduced = reduce_program(text, names)
    if isinstance(reduced, str):
        return Unparsed(reduced)
    tree = parse_text(reduced.text)
    if not isinstance(tree, ast.Module):
        return Unparsed("a registration shares its line with newer grammar")
    strays = tuple(Stray(line, EditRefusal.NOT_TOP_LEVEL, "inside another statement") for line in reduced.nested)
    return _program(tree, reduced.text, Lines(text), strays)


@dataclass(frozen=True, slots=True)
class NoTree:
    """Why `ast` did not read a text. `may_be_newer` is False where only the size of it is to blame."""

    detail: str
    may_be_newer: bool


def parse_text(text: str) -> ast.Module | NoTree:
    """`ast.parse` with every way it fails on hostile text as a value."""
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape warns, which a strict caller turns into an error
            return ast.parse(text)
    except SyntaxError as error:
        return NoTree(f"line {error.lineno or 0}: {error.msg}", may_be_newer=True)
    except (RecursionError, MemoryError):
        return NoTree("nested too deeply", may_be_newer=False)
    except ValueError as error:
        return NoTree(str(error)[:200], may_be_newer=False)


def _program(tree: ast.Module, parsed: str, lines: Lines, strays: tuple[Stray, ...]) -> Program:
    """The program of the text `parsed`; `lines` are those of the whole file."""
    found = _TopLevel(tree)
    if found.aliases or found.mentions != sum(1 for _ in NAME.finditer(parsed)):
        strays = tuple(sorted({*strays, *_strays(tree, found)}, key=lambda stray: (stray.line, stray.reason)))
    return Program(tree, lines, tuple(found.calls), frozenset(found.own), strays)


class _TopLevel:
    """What the top-level statements say. `mentions` counts the names they explain without a closer look."""

    def __init__(self, tree: ast.Module) -> None:
        self.calls: list[ast.Call] = []
        self.own: set[str] = set()
        self.aliases: set[str] = set()
        self.mentions = 0
        for statement in tree.body:
            if isinstance(statement, ast.Expr):
                self._expression(statement.value)
            elif isinstance(statement, ast.ImportFrom):
                self._import(statement)
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._bind(statement.name)
            elif isinstance(statement, ast.Assign):
                self._assign(statement)

    def _expression(self, value: ast.expr) -> None:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and is_name(value.func.id):
            self.calls.append(value)
            self.mentions += 1

    def _import(self, statement: ast.ImportFrom) -> None:
        for alias in statement.names:
            if is_name(alias.name):
                self.mentions += 1
                if alias.asname not in (None, alias.name):
                    self.aliases.add(str(alias.asname))

    def _bind(self, name: str) -> None:
        if is_name(name):
            self.own.add(name)

    def _assign(self, statement: ast.Assign) -> None:
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        for name in names:
            self._bind(name)
        if isinstance(statement.value, ast.Name) and is_name(statement.value.id):
            self.aliases.update(names)


def _strays(tree: ast.Module, found: _TopLevel) -> Iterator[Stray]:
    counted = {id(call) for call in found.calls}
    nodes = list(ast.walk(tree))
    aliases = set(found.aliases)
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            aliases.update(a.asname for a in node.names if a.asname and a.asname != a.name and is_name(a.name))
    for node in nodes:
        if isinstance(node, ast.Call) and id(node) not in counted:
            stray = _stray(node, aliases)
            if stray:
                yield stray


def _stray(call: ast.Call, aliases: set[str]) -> Stray | None:
    if isinstance(call.func, ast.Attribute) and is_name(call.func.attr):
        return Stray(call.lineno, EditRefusal.ATTRIBUTE_CALL, f"called as an attribute, .{call.func.attr}(...)")
    if not isinstance(call.func, ast.Name):
        return None
    if call.func.id in aliases:
        return Stray(call.lineno, EditRefusal.ALIASED_IMPORT, f"called by another name, {call.func.id}(...)")
    if is_name(call.func.id):
        return Stray(call.lineno, EditRefusal.NOT_TOP_LEVEL, "not a statement of the module itself")
    return None
