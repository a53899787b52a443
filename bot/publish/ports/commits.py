"""The port for making commits; `bot.publish.ports.refs` points branches at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain import CommitSha


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file of a commit: its whole new content. `mode` is git's, "100644" or "100755"."""

    path: str
    content: bytes
    mode: str = "100644"


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to make. `parent` None makes an orphan whose tree holds `files` only."""

    message: str
    files: tuple[FileWrite, ...]
    parent: CommitSha | None


class CommitWriter(Protocol):
    """Makes commits that no ref points to yet."""

    def commit(self, new: NewCommit) -> CommitSha:
        """The SHA of a commit whose every file has the very bytes of `new`.

        The parent's other files stay as they are; a parent that has those bytes already is the
        answer itself. Author and committer are left to GitHub, which signs the commits of an App
        only then.
        """
        ...

    def commit_all(self, news: Sequence[NewCommit]) -> tuple[CommitSha, ...]:
        """The same for several, none of which stands on another."""
        ...
