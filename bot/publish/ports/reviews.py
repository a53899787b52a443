"""The port for reviews of a pull request, and for what there is to review: the files it changes.

The pull request itself is `bot.publish.ports.pulls`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.domain import CommitSha


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a pull request changes. `patch` None: too large to be shown, binary, or only renamed."""

    path: str
    status: str  # added, modified, renamed, removed, …
    patch: str | None


@dataclass(frozen=True, slots=True)
class LineComment:
    """A comment on one line (1-based) of a file at a pull request's head. The line must be in its diff."""

    path: str
    line: int
    body: str


@dataclass(frozen=True, slots=True)
class NewReview:
    """A review that only comments. `body` carries `marker`; equal markers are the same review."""

    marker: str
    head_sha: CommitSha
    body: str
    comments: tuple[LineComment, ...]


class Reviews(Protocol):
    """What a pull request changes, and our reviews of it."""

    def files(self, number: int) -> tuple[ChangedFile, ...]:
        """The files it changes since its merge base; GitHub lists at most 3,000."""
        ...

    def put(self, number: int, review: NewReview) -> str:
        """Make the review, or find the one with its marker; its address."""
        ...
