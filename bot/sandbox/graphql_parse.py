"""Reads the part of the GraphQL language that a client of GitHub needs, into small values.

Operations with variables, fields with aliases and arguments, inline and named fragments. No
directives, no subscriptions. Whether a field exists is decided by `graphql.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bot.sandbox.graphql_document import (
    Document,
    EnumValue,
    Field,
    Fragment,
    Operation,
    Place,
    Selection,
    Variable,
    VariableDefinition,
)

_TOKEN = re.compile(
    r"""(?P<skip>[\s,\ufeff]+|\#[^\n]*)
    |(?P<spread>\.\.\.)
    |(?P<punct>[!$()\[\]{}:=|&@])
    |(?P<block>\"\"\"(?:[^"]|\"(?!\"\"))*\"\"\")
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[_A-Za-z][_0-9A-Za-z]*)""",
    re.VERBOSE,
)
MAX_DEPTH = 30
MAX_SOURCE = 2_000_000


class GraphqlSyntaxError(Exception):
    """The document cannot be read; `line` and `column` are 1-based."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def parse(source: str) -> Document:
    """Read a document.

    Raises:
        GraphqlSyntaxError: it is not one, is too deep, or is longer than `MAX_SOURCE` characters.
    """
    if len(source) > MAX_SOURCE:
        raise GraphqlSyntaxError("The document is too long", 1, 1)
    reader = _Reader(source)
    document = Document()
    while reader.kind != "end":
        if reader.value == "fragment":
            reader.take("name")
            name = reader.take("name")
            reader.take_value("on")
            document.fragments[name] = Fragment(reader.take("name"), reader.selections(0))
        else:
            document.operations.append(reader.operation())
    return document


class _Reader:
    """Tokens one by one. `kind` and `value` are the next token's."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = self.start = 0
        self.kind = self.value = ""
        self._next()

    def _next(self) -> None:
        while self.at < len(self.source):
            found = _TOKEN.match(self.source, self.at)
            self.start = self.at
            if found is None:
                raise self.error("Unexpected character")
            self.at = found.end()
            if found.lastgroup != "skip":
                self.kind, self.value = str(found.lastgroup), found.group()
                return
        self.kind, self.value, self.start = "end", "", self.at

    def error(self, message: str) -> GraphqlSyntaxError:
        place = self.place()
        return GraphqlSyntaxError(f"{message} at [{place.line}, {place.column}]", place.line, place.column)

    def place(self) -> Place:
        before = self.source[: self.start]
        return Place(before.count("\n") + 1, self.start - before.rfind("\n"))

    def take(self, kind: str) -> str:
        if self.kind != kind:
            raise self.error(f"Expected {kind}, actual: {self.value or 'end of document'!r}")
        value = self.value
        self._next()
        return value

    def take_value(self, value: str) -> None:
        if self.value != value:
            raise self.error(f"Expected {value!r}, actual: {self.value or 'end of document'!r}")
        self._next()

    def skip_value(self, value: str) -> bool:
        if self.kind in ("punct", "spread") and self.value == value:
            self._next()
            return True
        return False

    def operation(self) -> Operation:
        if self.value == "{":
            return Operation("query", "", {}, self.selections(0))
        kind = self.take("name")
        if kind not in ("query", "mutation"):
            raise self.error(f"Unexpected operation {kind!r}")
        name = self.take("name") if self.kind == "name" else ""
        return Operation(kind, name, self.definitions(), self.selections(0))

    def definitions(self) -> dict[str, VariableDefinition]:
        found: dict[str, VariableDefinition] = {}
        if not self.skip_value("("):
            return found
        while not self.skip_value(")"):
            self.take_value("$")
            name = self.take("name")
            self.take_value(":")
            found[name] = VariableDefinition(self.type_name(0), self.value_of(0) if self.skip_value("=") else None)
        return found

    def type_name(self, depth: int) -> str:
        self.check_depth(depth)
        if self.skip_value("["):
            inner = f"[{self.type_name(depth + 1)}]"
            self.take_value("]")
        else:
            inner = self.take("name")
        return f"{inner}!" if self.skip_value("!") else inner

    def selections(self, depth: int) -> tuple[Selection, ...]:
        self.check_depth(depth)
        self.take_value("{")
        found: list[Selection] = []
        while not self.skip_value("}"):
            found.append(self.fragment(depth) if self.skip_value("...") else self.field(depth))
        if not found:
            raise self.error("A selection is empty")
        return tuple(found)

    def fragment(self, depth: int) -> Fragment:
        if self.kind == "name" and self.value != "on":
            return Fragment(None, (), self.take("name"))
        on_type = None
        if self.value == "on":
            self._next()
            on_type = self.take("name")
        return Fragment(on_type, self.selections(depth + 1))

    def field(self, depth: int) -> Field:
        place, name = self.place(), self.take("name")
        alias = name
        if self.skip_value(":"):
            name = self.take("name")
        arguments: dict[str, Any] = {}
        if self.skip_value("("):
            while not self.skip_value(")"):
                key = self.take("name")
                self.take_value(":")
                arguments[key] = self.value_of(0)
        inner = self.selections(depth + 1) if self.value == "{" else ()
        return Field(name, alias, arguments, inner, place)

    def value_of(self, depth: int) -> Any:
        self.check_depth(depth)
        if self.skip_value("$"):
            return Variable(self.take("name"))
        if self.skip_value("["):
            return list(self._until("]", depth))
        if self.skip_value("{"):
            return self._object(depth)
        kind, value = self.kind, self.value
        self._next()
        if kind == "string":
            return _string(value, self)
        if kind == "block":
            return value[3:-3].strip()
        if kind == "number":
            return float(value) if any(mark in value for mark in ".eE") else int(value)
        if kind == "name":
            return {"true": True, "false": False, "null": None}.get(value, EnumValue(value))
        raise self.error(f"Expected a value, actual: {value!r}")

    def _until(self, end: str, depth: int) -> list[Any]:
        found = []
        while not self.skip_value(end):
            found.append(self.value_of(depth + 1))
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.skip_value("}"):
            key = self.take("name")
            self.take_value(":")
            found[key] = self.value_of(depth + 1)
        return found

    def check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.error("The document is nested too deeply")


def _string(text: str, reader: _Reader) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise reader.error("Bad escape in a string") from error
