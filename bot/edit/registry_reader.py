"""Reads the label registry of a watched repository, `FILE:NAME`, as syntax; it is never imported.

The order of the names is what the order of label lists follows. Judges no labels.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain import TestPath
from bot.edit.registrations.call_sites import NoTree, parse_text
from bot.edit.registrations.newer_grammar import reduce_program
from bot.edit.source_text import MAX_SOURCE_BYTES, Undecodable, decode

_MAX_LABELS = 5000
_COLLECTIONS = ("frozenset", "set", "tuple", "list")


@dataclass(frozen=True, slots=True)
class LabelRegistry:
    """The known domain labels, in their order, without repetition."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnreadRegistry:
    """Why there is no registry. `line` is 1-based, 0 for the whole file."""

    reason: str
    line: int = 0


def split_location(location: str) -> tuple[TestPath, str]:
    """`tests/ci/labels.py:KNOWN_LABELS` as path and name."""
    path, _, name = location.rpartition(":")
    return TestPath(path), name


def read_registry(raw: bytes | None, name: str) -> LabelRegistry | UnreadRegistry:
    """The labels that `name` holds: a dict's keys, or a list, tuple or set of string literals.

    `raw` is None where the file does not exist. Plain and annotated assignments of the module count.
    """
    if raw is None:
        return UnreadRegistry("the file does not exist")
    if len(raw) > MAX_SOURCE_BYTES:
        return UnreadRegistry(f"the file has more than {MAX_SOURCE_BYTES} bytes")
    source = decode(raw)
    if isinstance(source, Undecodable):
        return UnreadRegistry(f"the file is not text: {source.detail}")
    tree = _tree(source.text, name)
    if isinstance(tree, UnreadRegistry):
        return tree
    assigned = [statement for statement in tree.body if name in _targets(statement)]
    if len(assigned) != 1:
        return UnreadRegistry(f"{name} is assigned {len(assigned)} times at the top level, not once")
    changed = next((line for line in _changes(tree, name)), None)
    if changed:
        return UnreadRegistry(f"{name} is changed after its assignment", changed)
    value = assigned[0].value if isinstance(assigned[0], ast.Assign | ast.AnnAssign) else None
    return _labels(value, name, assigned[0].lineno)


def _tree(text: str, name: str) -> ast.Module | UnreadRegistry:
    tree = parse_text(text)
    if isinstance(tree, NoTree) and tree.may_be_newer:
        reduced = reduce_program(text, re.compile(rf"\b{re.escape(name)}\b"))
        tree = tree if isinstance(reduced, str) else parse_text(reduced.text)
    return UnreadRegistry(f"the file is not readable as Python: {tree.detail}") if isinstance(tree, NoTree) else tree


def _targets(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, ast.Assign):
        nodes: Sequence[ast.expr] = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        nodes = [statement.target]
    else:
        return ()
    return tuple(node.id for node in nodes if isinstance(node, ast.Name))


def _changes(tree: ast.Module, name: str) -> list[int]:
    """Lines of top-level statements that add to the registry: `X[...] = `, `X.update(...)`."""
    found: list[int] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found += [t.lineno for t in targets if isinstance(t, ast.Subscript) and _is_name(t.value, name)]
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            if isinstance(function, ast.Attribute) and _is_name(function.value, name):
                found.append(statement.lineno)
    return found


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _labels(value: ast.expr | None, name: str, line: int) -> LabelRegistry | UnreadRegistry:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _COLLECTIONS:
        value = value.args[0] if len(value.args) == 1 and not value.keywords else None
    if isinstance(value, ast.Dict):
        items: list[ast.expr | None] = list(value.keys)
    elif isinstance(value, ast.List | ast.Tuple | ast.Set):
        items = list(value.elts)
    else:
        return UnreadRegistry(f"{name} is no literal dict, list, tuple or set", line)
    labels: list[str] = []
    for item in items:
        if not (isinstance(item, ast.Constant) and isinstance(item.value, str)):
            return UnreadRegistry(f"{name} holds something that is not a string literal", item.lineno if item else line)
        labels.append(item.value)
    if len(labels) > _MAX_LABELS:
        return UnreadRegistry(f"{name} holds more than {_MAX_LABELS} labels", line)
    return LabelRegistry(tuple(dict.fromkeys(labels)))
