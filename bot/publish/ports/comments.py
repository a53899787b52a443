"""The port for comments, which GitHub keeps at issues and pull requests alike; no text is made here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CommentState:
    """A comment of an issue or a pull request."""

    comment_id: int
    author: str
    body: str
    url: str


class Comments(Protocol):
    """Comments of issues and pull requests."""

    def find(self, number: int, marker: str) -> CommentState | None:
        """The first comment whose body carries `marker`."""
        ...

    def put(self, number: int, marker: str, body: str) -> CommentState:
        """Make the comment that carries `marker`, or edit it in place; equal text is left alone."""
        ...

    def react(self, comment_id: int, content: str) -> None:
        """Add a reaction (`eyes`, `+1`, `rocket`, …); a second one of the same kind changes nothing."""
        ...
