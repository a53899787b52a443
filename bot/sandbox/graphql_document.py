"""A GraphQL document as values. Reading one is `bot.sandbox.graphql_parse`'s part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name` where a value stands."""

    name: str


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A bare word where a value stands."""

    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the document, 1-based."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a selection."""

    name: str
    alias: str
    arguments: Mapping[str, Any]
    selections: tuple[Selection, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Fragment:
    """`... on Type { … }`; `spread` names a fragment defined elsewhere instead."""

    on_type: str | None
    selections: tuple[Selection, ...]
    spread: str | None = None


Selection = Field | Fragment


@dataclass(frozen=True, slots=True)
class VariableDefinition:
    """`$name: Type = default`; the type as written without blanks."""

    type: str
    default: Any = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One query or mutation."""

    kind: str
    name: str
    variables: Mapping[str, VariableDefinition]
    selections: tuple[Selection, ...]


@dataclass(slots=True)
class Document:
    """All definitions of one request."""

    operations: list[Operation] = field(default_factory=list)
    fragments: dict[str, Fragment] = field(default_factory=dict)
