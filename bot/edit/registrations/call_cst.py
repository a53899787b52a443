"""Registering calls in a libcst module: where they are, and their arguments.

The calls are those `call_sites` counts, in the same order. Reads and replaces nodes; knows no bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from bot.edit.registrations.call_names import is_name

Body = list[cst.SimpleStatementLine | cst.BaseCompoundStatement]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """The statement line of the module's body, and the statement on it, that is a call."""

    line: int
    statement: int

    def call(self, body: Body) -> cst.Call:
        """The call that stands here."""
        return cst.ensure_type(cst.ensure_type(self._line(body).body[self.statement], cst.Expr).value, cst.Call)

    def replaced(self, body: Body, call: cst.Call) -> cst.SimpleStatementLine:
        """The line with another call here."""
        line = self._line(body)
        statements = list(line.body)
        statements[self.statement] = cst.ensure_type(statements[self.statement], cst.Expr).with_changes(value=call)
        return line.with_changes(body=statements)

    def _line(self, body: Body) -> cst.SimpleStatementLine:
        return cst.ensure_type(body[self.line], cst.SimpleStatementLine)


def call_places(module: cst.Module) -> Iterator[CallPlace]:
    """Every top-level statement that calls a registering function by its bare name, in source order."""
    for line_number, line in enumerate(module.body):
        if isinstance(line, cst.SimpleStatementLine):
            for number, statement in enumerate(line.body):
                if isinstance(statement, cst.Expr) and _is_registering(statement.value):
                    yield CallPlace(line_number, number)


def argument_position(arguments: Sequence[cst.Arg], name: str, position: int | None) -> int | None:
    """Which argument is `name`: by keyword, or the one at `position` where it may be positional."""
    for number, argument in enumerate(arguments):
        if argument.keyword is not None and argument.keyword.value == name:
            return number
    positional = position is not None and position < len(arguments)
    if position is not None and positional and arguments[position].keyword is None and not arguments[position].star:
        return position
    return None


def string_value(node: cst.BaseExpression) -> str | None:
    """The value of a plain string literal, adjacent ones joined; None for anything else."""
    if not isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def _is_registering(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Call) and isinstance(value.func, cst.Name) and is_name(value.func.value)
