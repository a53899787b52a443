"""Reads the literal list of configurations that a test sweeps, and takes rows away from it, proved.

Syntax only; the file is never run. Nothing but elements of that one list is removed, and nothing is
added. Which rows may go is a person's decision; which pay is the calibration stage's part.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain import Constant, Matrix, MatrixRefusal, RefusedMatrix, TestPath
from bot.edit.registrations.call_sites import parse_text
from bot.edit.source_text import MAX_SOURCE_BYTES, Lines, SourceText, decode

MOST_ROWS = 64
MOST_COLUMNS = 16
_AFTER = re.compile(r"[ \t]*,[ \t]*")
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Found:
    """A matrix with its nodes: the list, and one node a row."""

    matrix: Matrix
    list: ast.List | ast.Tuple
    rows: tuple[ast.expr, ...]


def read_matrix(path: TestPath, raw: bytes) -> Matrix | RefusedMatrix:
    """The file's only matrix: a list of two or more rows, each a name and its levels, all of them constants."""
    source = _source(raw)
    found = _matrices(path, source.text) if source else ()
    if len(found) == 1:
        return found[0].matrix
    if not found:
        return RefusedMatrix(MatrixRefusal.NO_MATRIX, path)
    return RefusedMatrix(MatrixRefusal.SEVERAL_MATRICES, path, ", ".join(one.matrix.name for one in found[:10]))


def keep_rows(raw: bytes, matrix: Matrix, kept: Sequence[int]) -> bytes | RefusedMatrix:
    """The file's bytes with only the rows `kept` in its matrix, proved by `removed_only`; or why not."""
    refused = RefusedMatrix(MatrixRefusal.NOT_REMOVABLE, matrix.path)
    source = _source(raw)
    found = next((one for one in _matrices(matrix.path, source.text) if one.matrix == matrix), None) if source else None
    if source is None or found is None or not kept:
        return refused
    text = _without(source.text, found, frozenset(kept))
    try:
        edited = source.encode(text) if text is not None else raw
    except UnicodeEncodeError:
        return refused
    problem = removed_only(raw, edited, matrix, kept)
    return RefusedMatrix(refused.reason, matrix.path, problem) if problem else edited


def removed_only(before: bytes, after: bytes, matrix: Matrix, kept: Sequence[int]) -> str | None:
    """None where `after` is `before` without the other rows of the matrix and nothing else; else which claim fails.

    Shares only the reading of the matrix with the removal: outside the list both are the same bytes, inside
    bytes were only lost, the list holds exactly the kept rows, and the programs are otherwise equal.
    """
    old, new = _source(before), _source(after)
    olds = _matrices(matrix.path, old.text, least=2) if old else ()
    news = [one for one in (_matrices(matrix.path, new.text, least=1) if new else ()) if one.matrix.name == matrix.name]
    was = next((one for one in olds if one.matrix == matrix), None)
    if old is None or new is None or was is None or len(news) != 1:
        return "the list does not read as one"
    if news[0].matrix.rows != tuple(matrix.rows[i] for i in sorted(kept)):
        return "the list does not hold the kept rows"
    if old.bom != new.bom or _outside(old.text, was) != _outside(new.text, news[0]):
        return "something outside the list differs"
    rest = iter(_inside(old.text, was))
    if not all(character in rest for character in _inside(new.text, news[0])):
        return "something was added to the list"
    return None if _dump(old.text, matrix.name) == _dump(new.text, matrix.name) else "the programs differ"


def _source(raw: bytes) -> SourceText | None:
    source = decode(raw) if len(raw) <= MAX_SOURCE_BYTES else None
    return source if isinstance(source, SourceText) else None


def _matrices(path: TestPath, text: str, least: int = 2) -> tuple[_Found, ...]:
    tree = parse_text(text)
    if not isinstance(tree, ast.Module):
        return ()
    found = (_matrix(path, statement, least) for statement in tree.body)
    return tuple(one for one in found if one is not None)


def _matrix(path: TestPath, statement: ast.stmt, least: int) -> _Found | None:
    target = _target(statement)
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if target is None or not isinstance(value, ast.List | ast.Tuple) or not least <= len(value.elts) <= MOST_ROWS:
        return None
    rows = [row for element in value.elts if (row := _row(element)) is not None]
    widths = {len(row) for row in rows}
    if len(rows) < len(value.elts) or len(widths) != 1 or len({row[0] for row in rows}) < len(rows):
        return None
    return _Found(Matrix(path, target, statement.lineno, tuple(rows)), value, tuple(value.elts))


def _target(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _row(element: ast.expr) -> tuple[Constant, ...] | None:
    """A name and at least one level, all constants."""
    if not isinstance(element, ast.Tuple | ast.List) or not 2 <= len(element.elts) <= MOST_COLUMNS:
        return None
    values: list[Constant] = []
    for item in element.elts:
        if not isinstance(item, ast.Constant) or not isinstance(item.value, str | int | float | bool | None):
            return None
        values.append(item.value)
    return tuple(values) if isinstance(values[0], str) else None


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    lines = Lines(text)
    return (
        lines.offset(node.lineno, node.col_offset),
        lines.offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
    )


def _outside(text: str, found: _Found) -> tuple[str, str]:
    start, end = _span(text, found.list)
    return text[:start], text[end:]


def _inside(text: str, found: _Found) -> str:
    start, end = _span(text, found.list)
    return text[start:end]


def _dump(text: str, name: str) -> str:
    """The program with the list left out."""
    tree = parse_text(text)
    if not isinstance(tree, ast.Module):
        return ""
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _target(statement) == name:
            statement.value = ast.Constant(None)
    try:
        return ast.dump(tree)
    except RecursionError:
        return text  # never equal after a removal: refused


def _without(text: str, found: _Found, kept: frozenset[int]) -> str | None:
    """The text without the other rows; None where a row stands so that it cannot be cut out."""
    spans = [_span(text, row) for row in found.rows]
    last = max(kept)
    cuts = [_cut(text, *span) for index, span in enumerate(spans) if index not in kept]
    if cuts and cuts[-1] is None and last < len(spans) - 1:
        # the last row has no comma of its own: everything behind the last one that stays goes, its comma too
        tail = spans[last][1], spans[-1][1]
        gaps = (text[spans[i][1] : spans[i + 1][0]] for i in range(last, len(spans) - 1))
        if any("#" in gap for gap in gaps):
            return None
        cuts = [*(_cut(text, *span) for index, span in enumerate(spans[:last]) if index not in kept), tail]
    pieces: list[str] = []
    position = 0
    for cut in cuts:
        if cut is None or cut[0] < position:
            return None
        pieces.append(text[position : cut[0]])
        position = cut[1]
    return "".join([*pieces, text[position:]])


def _cut(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What goes with a row: its comma, and its whole line where it stands alone on one; None without a comma."""
    comma = _AFTER.match(text, end)
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    rest = _REST_OF_LINE.match(text, comma.end() if comma else end)
    if rest and not text[line:start].strip(" \t"):
        return line, rest.end()
    return (start, comma.end()) if comma else None
