"""The port for pull requests; what they change is `bot.publish.ports.reviews`'s part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain import CommitSha


@dataclass(frozen=True, slots=True)
class PullRequestState:
    """A pull request as it is now. `state` is `open` or `closed`."""

    number: int
    state: str
    merged: bool
    draft: bool
    head: str
    head_sha: CommitSha
    base: str
    title: str
    body: str
    author: str
    url: str
    merge_commit: CommitSha | None = None  # the commit on the base, where it was merged
    fork: bool = False  # its head is in another repository, or in one that is gone


@dataclass(frozen=True, slots=True)
class NewPullRequest:
    """A pull request to open between two branches of one repository."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


class PullRequests(Protocol):
    """Pull requests of one repository."""

    def of_branch(self, head: str, base: str) -> tuple[PullRequestState, ...]:
        """All pull requests from `head` to `base`, open and closed, newest first."""
        ...

    def get(self, number: int) -> PullRequestState:
        """One pull request as it is now."""
        ...

    def open(self, new: NewPullRequest) -> PullRequestState:
        """Open it; where an open one exists already, that one as it is."""
        ...

    def update(self, number: int, title: str, body: str) -> None:
        """Set title and body."""
        ...

    def close(self, number: int) -> None:
        """Close it without merging."""
        ...

    def request_reviewers(self, number: int, logins: Sequence[str]) -> tuple[str, ...]:
        """Ask for reviews; the logins that cannot be asked are left out and returned."""
        ...

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Add labels to a pull request or an issue; GitHub makes those it does not know."""
        ...
