"""Issues and pull requests, with their labels, comments, reactions and reviews; git's part is the store's."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bot.sandbox.state import Json
from bot.sandbox.state.accounts import Account, App

if TYPE_CHECKING:  # a repository holds its pull requests, and one of these names the fork it came from
    from bot.sandbox.state.repo import Repo


@dataclass(slots=True)
class Label:
    """One label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True)
class Comment:
    """One comment of an issue or pull request."""

    id: int
    number: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None


@dataclass(slots=True)
class Reaction:
    """One reaction to a comment or issue."""

    id: int
    author: Account
    content: str
    created_at: datetime


@dataclass(slots=True)
class Review:
    """One submitted review of a pull request, with its comments as they were sent."""

    id: int
    number: int
    author: Account
    body: str
    commit: str
    submitted_at: datetime
    comments: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class Pull:
    """What a pull request has beyond its issue. Head and base of a closed one are frozen."""

    id: int
    head_ref: str
    base_ref: str
    draft: bool = False
    head_sha: str = ""
    base_sha: str = ""
    previous_sha: str = ""  # the head before the newest push
    merged_at: datetime | None = None
    merge_sha: str | None = None
    merged_by: Account | None = None
    reviewers: list[Account] = field(default_factory=list)
    fork: Repo | None = None  # where the head branch is, when not in the repository itself


@dataclass(slots=True)
class Issue:
    """An issue, and with `pull` a pull request: they share one sequence of numbers."""

    id: int
    number: int
    author: Account
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    closed_by: Account | None = None
    state_reason: str | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    app: App | None = None
    pull: Pull | None = None
    locked: bool = False

    @property
    def state(self) -> str:
        """`open` or `closed`."""
        return "open" if self.closed_at is None else "closed"
