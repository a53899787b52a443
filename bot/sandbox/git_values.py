"""What git stores and moves, as values: commits with their people, entries of trees, changes of references.

Asking git for them is `bot.sandbox.git_store`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

ZERO = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@dataclass(frozen=True, slots=True)
class Person:
    """Author or committer of a commit."""

    name: str
    email: str
    date: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit as git stores it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a tree; `size` is None for anything but a blob. `sha` None removes the path when writing."""

    path: str
    mode: str
    kind: str
    sha: str | None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class RefChange:
    """One reference to move. `before` None does not look; `ZERO` means that it must not exist."""

    ref: str
    after: str
    before: str | None = None
