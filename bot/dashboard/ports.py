"""What the pages ask of the outside: GitHub about a visitor, the queue about what is under way.

Protocols only; `bot.forge` and `bot.app` fulfil them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.errors import UserError
from bot.records.repositories import Repository


class TokenEndedError(UserError):
    """GitHub does not take a visitor's token any more: they sign in again."""


class NotSignedInError(UserError):
    """GitHub gave no token for the code that a visitor came back with."""


@dataclass(frozen=True, slots=True)
class Errand:
    """One visit to GitHub to sign in: what must come back with it, and what only we know of it (PKCE, RFC 7636)."""

    state: str
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Person:
    """An account of GitHub. The number stays its own; a login may be given up, and taken by somebody else."""

    number: int
    login: str


class Visitors(Protocol):
    """What GitHub says of a person, asked in their own name. Anything but a clear yes is no.

    Each method but the first raises RetryableError where GitHub does not answer in time, and those
    that take a token TokenEndedError where it is not valid any more.
    """

    def sign_in_address(self, errand: Errand) -> str:
        """Where a browser is sent to sign in."""
        ...

    async def token(self, code: str, errand: Errand) -> str:
        """The token of the person who came back with `code`.

        Raises:
            NotSignedInError: GitHub knows no such code, or another verifier.
        """
        ...

    async def person(self, token: str) -> Person:
        """Whose token it is."""
        ...

    async def may_read(self, token: str, repository: Repository) -> bool:
        """True where this very repository can be read with the token now."""
        ...

    async def take_back(self, token: str) -> None:
        """Make the token worthless."""
        ...


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A task that has not ended. `waiting`: nobody works on it; else `executor` does."""

    key: str
    executor: str
    waiting: bool


class Tasks(Protocol):
    """The queue, as far as an operator's page shows it."""

    async def under_way(self) -> Sequence[UnderWay]:
        """The tasks that have not ended, oldest first."""
        ...
