"""What a way of writing registrations must offer, and the values it hands over.

A dialect is a plain module that satisfies `RegistrationDialect` and stands in one dict,
`bot.edit.registrations.REGISTRATIONS`. It reads and rewrites bytes; it never runs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.domain import BlobSha, LiteralChange, RefusedEdit, SourceRegistrations, TestPath


@dataclass(frozen=True, slots=True)
class Example:
    """A file before and after one change of its call `index`. It is a test and documentation."""

    title: str
    before: bytes
    after: bytes
    index: int = 0
    est_time: int | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CallLiterals:
    """Where the literals of one call stand: half-open byte ranges of the file, None where there is none."""

    index: int
    est_time: tuple[int, int] | None = None
    labels: tuple[int, int] | None = None  # with the brackets


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file's bytes with every change that could be made, and those that could not."""

    raw: bytes
    done: tuple[LiteralChange, ...] = ()
    refused: tuple[RefusedEdit, ...] = field(default=())


class RegistrationDialect(Protocol):
    """One way of writing registrations. Every function is pure; none raises on any bytes."""

    @property
    def EXAMPLES(self) -> tuple[Example, ...]:  # noqa: N802 - a module's constant
        """What the dialect does, by example."""
        ...

    def mentions(self, raw: bytes) -> bool:
        """A cheap look at the bytes: False means that there is surely no registration."""
        ...

    def read(self, path: TestPath, blob: BlobSha, raw: bytes) -> SourceRegistrations:
        """All registrations of the file, and what was refused with its reason."""
        ...

    def literals(self, raw: bytes) -> tuple[CallLiterals, ...]:
        """Where each registration's literals stand; nothing for a file that cannot be read."""
        ...

    def same_but_literals(self, before: bytes, after: bytes, indices: frozenset[int]) -> bool:
        """True where both parse to the same program but for the literals of the calls `indices`."""
        ...

    def rewrite(self, raw: bytes, changes: Sequence[LiteralChange]) -> Rewritten:
        """Write each change into its call's literals and leave every other byte."""
        ...
