"""Are two versions of a file the same program but for the literals of certain calls?

Compares `ast` trees node by node; bytes and comments are `edit_check`'s business. Shares nothing
with the code that rewrites.
"""

from __future__ import annotations

import ast
from itertools import zip_longest

from bot.edit.registrations.call_arguments import Binder, CallArguments, bind
from bot.edit.registrations.call_sites import Program, parse_program
from bot.edit.source_text import SourceText, decode


def same_but_literals(before: bytes, after: bytes, indices: frozenset[int], binder: Binder = bind) -> bool:
    """True where both parse, and to the same tree but for est_time and labels of the calls `indices`.

    In a file of newer grammar only the statements with registrations are compared.
    """
    programs = [_program(raw) for raw in (before, after)]
    old, new = programs
    if old is None or new is None or len(old.calls) != len(new.calls):
        return False
    return _same(old.tree, new.tree, _literal_ids(old, indices, binder), _literal_ids(new, indices, binder))


def _program(raw: bytes) -> Program | None:
    source = decode(raw)
    program = parse_program(source.text) if isinstance(source, SourceText) else None
    return program if isinstance(program, Program) else None


def _literal_ids(program: Program, indices: frozenset[int], binder: Binder) -> frozenset[int]:
    """The `id` of each node that may differ."""
    found: set[int] = set()
    for index in indices:
        bound = binder(program.calls[index]) if index < len(program.calls) else None
        if isinstance(bound, CallArguments):
            found.add(id(bound.est_node))
            if bound.label_node is not None:
                found.add(id(bound.label_node))
    return frozenset(found)


def _same(old: ast.AST, new: ast.AST, old_free: frozenset[int], new_free: frozenset[int]) -> bool:
    """Equality without recursion, for trees may be deeper than the interpreter's stack."""
    pairs: list[tuple[object, object]] = [(old, new)]
    while pairs:
        left, right = pairs.pop()
        if id(left) in old_free and id(right) in new_free:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST):
            pairs.extend((getattr(left, name, None), getattr(right, name, None)) for name in left._fields)
        elif isinstance(left, list) and isinstance(right, list):
            pairs.extend(zip_longest(left, right))
        elif left != right:
            return False
    return True
