"""The port for branches, which move all together or not at all.

What they point to is made by `bot.publish.ports.commits`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.domain import CommitSha


class RefMove(StrEnum):
    """How a branch may move."""

    FAST_FORWARD = "fast_forward"  # only to a descendant
    REPLACE = "replace"  # to any commit: the rolling branch alone


@dataclass(frozen=True, slots=True)
class RefChange:
    """One branch's move. `before` None: it must not exist. `after` None: it is deleted."""

    branch: str  # without refs/heads/
    before: CommitSha | None
    after: CommitSha | None
    move: RefMove = RefMove.FAST_FORWARD


class RefVerdict(StrEnum):
    """What became of a set of moves."""

    OURS = "ours"  # every branch is where it should be, moved now or by an earlier try
    THEIRS = "theirs"  # a branch is somewhere else: another writer was there
    REFUSED = "refused"  # the repository's rules forbid the move


@dataclass(frozen=True, slots=True)
class RefOutcome:
    """The verdict, the tips read after it (None: no such branch), and GitHub's words for a refusal."""

    verdict: RefVerdict
    tips: Mapping[str, CommitSha | None]
    detail: str = ""


class RefStore(Protocol):
    """Branches, read and moved by compare-and-swap."""

    def tips(self, branches: Sequence[str]) -> Mapping[str, CommitSha | None]:
        """Where each branch is now; None where there is no such branch."""
        ...

    def move(self, changes: Sequence[RefChange]) -> RefOutcome:
        """Move all branches or none.

        Raises:
            RetryableError: nothing moved and nobody else was there.
        """
        ...
