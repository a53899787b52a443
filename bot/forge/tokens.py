"""Where the token of a step comes from: of a grant, or one that was given.

Tokens of the App's installations are made in `bot.forge.auth`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.forge.answers import RefusedError
from bot.forge.client import GitHubClient
from bot.forge.grants import Grant
from bot.forge.payloads.apps import UserPayload
from bot.forge.secret import Secret


class Tokens(Protocol):
    """Where the token of a step comes from."""

    async def token(self, grant: Grant) -> Secret:
        """A token good for at least five minutes.

        Raises:
            UserError: the credentials are wrong, or the installation lacks a permission.
            RetryableError: GitHub did not answer.
        """
        ...

    def forget(self, grant: Grant) -> bool:
        """Drop a token GitHub rejected; False where no other can be had."""
        ...


@dataclass(frozen=True, slots=True)
class GivenToken:
    """One token from the environment, used for every step. It cannot be narrowed or renewed."""

    secret: Secret

    async def token(self, grant: Grant) -> Secret:  # noqa: ARG002 - a given token is what it is
        """The token itself."""
        return self.secret

    def forget(self, grant: Grant) -> bool:  # noqa: ARG002 - likewise
        """There is no other."""
        return False


async def login_of_token(client: GitHubClient) -> str:
    """The login whose texts a given token writes.

    The token that Actions gives a workflow may not ask (403); its login is GitHub's own bot.

    Raises:
        RefusedError: the token is not valid.
        BusyError: GitHub did not answer.
    """
    try:
        return (await client.get(UserPayload, "/user")).login
    except RefusedError as error:
        if error.status != 403:
            raise
        return "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class Granted:
    """A step's credential: tokens of one grant, taken when they are needed."""

    tokens: Tokens
    grant: Grant

    async def authorization(self) -> str:
        """The grant's token as a header value."""
        return f"Bearer {(await self.tokens.token(self.grant)).reveal()}"

    def forget(self) -> bool:
        """Drop the token that was rejected."""
        return self.tokens.forget(self.grant)
