"""The port for issues of ours; what stands below them is `bot.publish.ports.comments`'s part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class IssueState:
    """An issue of ours as it is now."""

    number: int
    state: str  # open, closed
    title: str
    body: str
    url: str


class Issues(Protocol):
    """Issues that carry a marker of ours in their body."""

    def find(self, marker: str) -> IssueState | None:
        """The newest issue, open before closed, whose body carries `marker`."""
        ...

    def open(self, title: str, body: str) -> IssueState:
        """Open an issue. The body must carry its marker."""
        ...

    def update(self, number: int, body: str) -> None:
        """Set the body."""
        ...

    def close(self, number: int) -> None:
        """Close it as completed."""
        ...

    def reopen(self, number: int) -> None:
        """Open it again."""
        ...
