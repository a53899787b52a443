"""Reads what one Python file imports, and which files its strings name. Syntax only: nothing is imported or run.

Imports count wherever they stand, in functions too. Of string literals the whole and each of its words
count, as in `run("scripts/train.sh --steps 5")`; a string that stands for itself is a docstring and
says nothing. Names that a program computes are not seen. Which of the named files exist, and count,
is not asked here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.domain import ImportRefusal, TestPath, UnreadImport
from bot.edit.imports.places import LONGEST, LeavesError, launched, modules, package_above, roots_of
from bot.edit.registrations.call_sites import NoTree, parse_text
from bot.edit.source_text import MAX_SOURCE_BYTES, Undecodable, decode

MOST_PLACES = 20_000  # of one file: every name has several
LONGEST_LITERAL = 64 * 1024  # characters of one string that are searched for words
_MOST_REFUSED = 20  # of one file
_WORD = re.compile(r"[^\s\"'`=;|&()<>,:]+")


@dataclass(frozen=True, slots=True)
class References:
    """Where the files may be that one file names, each place once, and what was not read of it."""

    path: TestPath
    places: tuple[TestPath, ...] = ()
    refused: tuple[UnreadImport, ...] = ()


def read_references(path: TestPath, raw: bytes) -> References:
    """What a file imports or launches. Never raises on any bytes."""
    if len(raw) > MAX_SOURCE_BYTES:
        return _unread(path, ImportRefusal.FILE_TOO_LARGE, f"{len(raw)} bytes")
    source = decode(raw)
    if isinstance(source, Undecodable):
        return _unread(path, ImportRefusal.UNDECODABLE, source.detail)
    tree = parse_text(source.text)
    if isinstance(tree, NoTree):
        return _unread(path, ImportRefusal.UNKNOWN_GRAMMAR, tree.detail)
    found = _Found(path)
    found.look_through(tree)
    return References(path, tuple(found.places), tuple(found.refused))


def _unread(path: TestPath, reason: ImportRefusal, detail: str) -> References:
    return References(path, refused=(UnreadImport(path, reason, detail),))


class _Found:
    """What was found of one file so far; both collections keep their order and hold everything once."""

    def __init__(self, path: TestPath) -> None:
        self.path = path
        self.places: dict[TestPath, None] = {}
        self.refused: dict[UnreadImport, None] = {}
        self._roots = roots_of(path)

    def look_through(self, tree: ast.Module) -> None:
        """Every node once, parents before their children."""
        said_alone: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr):
                said_alone.add(id(node.value))
            if id(node) not in said_alone:
                self._add(node)
            if len(self.places) >= MOST_PLACES:
                self._refuse(ImportRefusal.TOO_MANY, f"more than {MOST_PLACES:,} places")
                return

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._keep(modules(alias.name, self._roots), node.lineno)
        elif isinstance(node, ast.ImportFrom):
            self._keep(self._from(node), node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for word in self._words(node.value, node.lineno):
                self._keep(launched(word, self.path), node.lineno)

    def _from(self, node: ast.ImportFrom) -> Iterator[TestPath]:
        roots = self._roots
        if node.level:
            roots = (package_above(self.path, node.level),)
            yield TestPath(f"{roots[0]}__init__.py")
        yield from modules(node.module or "", roots, [alias.name for alias in node.names if alias.name != "*"])

    def _words(self, literal: str, line: int) -> Iterable[str]:
        """The literal itself and its words, each once."""
        if len(literal) > LONGEST_LITERAL:
            self._refuse(ImportRefusal.TOO_MANY, f"line {line}: a string of {len(literal):,} characters")
        words = (found.group() for found in _WORD.finditer(literal, 0, LONGEST_LITERAL))
        whole = (literal,) if len(literal) <= LONGEST and "\n" not in literal else ()
        return dict.fromkeys((*whole, *words))

    def _keep(self, places: Iterator[TestPath], line: int) -> None:
        try:
            self.places.update(dict.fromkeys(places))
        except LeavesError:
            self._refuse(ImportRefusal.LEAVES_REPOSITORY, f"line {line}")

    def _refuse(self, reason: ImportRefusal, detail: str) -> None:
        if len(self.refused) < _MOST_REFUSED:
            self.refused[UnreadImport(self.path, reason, detail)] = None
