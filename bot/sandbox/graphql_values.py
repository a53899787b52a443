"""What GraphQL fields are resolved to and by: values of its types, resolvers, and a field's error.

Which types and fields there are is `bot.sandbox.graphql_schema`'s part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.answers import Call
from bot.sandbox.state.issues import Issue
from bot.sandbox.state.repo import Repo


class FieldError(Exception):
    """A field cannot be answered; the rest of the answer stands."""

    def __init__(self, kind: str | None, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class GitObject:
    """A value of the interface `GitObject`; `kind` is git's word for it."""

    repo: Repo
    oid: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A value of the type `Ref`."""

    repo: Repo
    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class PullValue:
    """A value of the type `PullRequest`."""

    repo: Repo
    issue: Issue


Resolver = Callable[[Call, Any, Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field: how it is resolved, the type of its value ("" for a scalar), and its arguments' types."""

    resolve: Resolver
    type: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


def need(call: Call, permission: str, level: str) -> None:
    """Raise GitHub's error (`FieldError`) where the caller lacks a permission at a level."""
    if not call.caller.may(permission, level):
        raise FieldError("FORBIDDEN", "Resource not accessible by integration")


def entry_of(name: str) -> Resolver:
    """A field that is an entry of a payload; null where the payload has none of that name."""

    def resolve(_call: Call, value: Any, _args: Mapping[str, Any]) -> Any:
        return value.get(name)

    return resolve


def plain(read: Callable[[Any], Any]) -> Resolver:
    """A field that is read of the value alone, whoever asks."""

    def resolve(_call: Call, value: Any, _args: Mapping[str, Any]) -> Any:
        return read(value)

    return resolve
