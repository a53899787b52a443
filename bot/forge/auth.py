"""Who we are to GitHub: the App by its key, and its installations by tokens narrowed to a step.

What a step may do is its `Grant`, which is not chosen here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import aiohttp
import jwt
from gidgethub.apps import get_jwt
from jwt.algorithms import RSAAlgorithm
from pydantic import ValidationError

from bot.errors import UserError
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import DEFAULT_POLICY, GitHubClient, RetryPolicy
from bot.forge.endpoint import Endpoint, RepositoryName
from bot.forge.grants import Grant
from bot.forge.payloads.apps import AppPayload, InstallationPayload, TokenPayload
from bot.forge.secret import Secret

if TYPE_CHECKING:
    from jwt.algorithms import AllowedRSAKeys

RENEW_BEFORE_S = 300.0  # a token within five minutes of its end is not handed to a step
_JWT_S = 9 * 60  # GitHub's limit is ten minutes


@dataclass(frozen=True, slots=True)
class _Cached:
    secret: Secret
    expires_at: datetime


class InstallationTokens:
    """Tokens of one installation, cached in memory by grant until five minutes before their end."""

    def __init__(self, app: AppAuth, installation_id: int) -> None:
        self._app = app
        self._installation_id = installation_id
        self._cache: dict[Grant, _Cached] = {}

    def __repr__(self) -> str:
        return f"InstallationTokens({self._installation_id})"

    async def token(self, grant: Grant) -> Secret:
        """The cached token, or a new one; errors as `Tokens.token`."""
        cached = self._cache.get(grant)
        if cached is None or cached.expires_at.timestamp() - self._app.clock() < RENEW_BEFORE_S:
            cached = await self._mint(grant)
            self._cache[grant] = cached
        return cached.secret

    def forget(self, grant: Grant) -> bool:
        """Drop the cached token: it was revoked, as when an installation is suspended for a while.

        Another can be had even where none is cached: whoever shares the token dropped it a moment ago.
        """
        self._cache.pop(grant, None)
        return True

    async def _mint(self, grant: Grant) -> _Cached:
        body: dict[str, object] = {"permissions": dict(grant.permissions)}
        if grant.repository_ids:
            body["repository_ids"] = list(grant.repository_ids)
        elif grant.repositories:
            body["repositories"] = list(grant.repositories)
        url = "/app/installations/{id}/access_tokens"
        try:
            answer = TokenPayload.model_validate(
                await self._app.client.post(url, {"id": str(self._installation_id)}, data=body)
            )
        except RefusedError as error:
            raise self._refusal(error, grant) from None
        except ValidationError:
            raise BusyError("POST access_tokens: unreadable answer") from None
        return _Cached(Secret(answer.token), answer.expires_at)

    def _refusal(self, error: RefusedError, grant: Grant) -> RefusedError:
        if error.status == 422:
            words = f"grant the App {grant} and accept the new permissions in installation {self._installation_id}"
            return RefusedError(f"the installation lacks a permission or the repository; {words}", 422, error.detail)
        if error.status == 404:
            return RefusedError(f"installation {self._installation_id} is not this App's, or was removed", 404)
        return error


class AppAuth:
    """The App itself: its id and private key, and who it is."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        key: AppKey,
        policy: RetryPolicy = DEFAULT_POLICY,
    ) -> None:
        self.client = GitHubClient(session, endpoint, key, policy)
        self.clock: Callable[[], float] = policy.clock
        self._installations: dict[int, InstallationTokens] = {}
        self._login = ""

    def __repr__(self) -> str:
        return f"AppAuth({self.client.endpoint.rest})"

    def installation(self, installation_id: int) -> InstallationTokens:
        """The tokens of one installation, the same value at every call: it holds the cache."""
        return self._installations.setdefault(installation_id, InstallationTokens(self, installation_id))

    async def installation_id(self, repository: str) -> int:
        """The installation that covers `owner/name`.

        Raises:
            RefusedError: the App is not installed there.
        """
        name = RepositoryName.of(repository)
        try:
            found = await self.client.get(InstallationPayload, f"{name.path}/installation")
        except RefusedError as error:
            if error.status != 404:
                raise
            raise RefusedError(f"the App is not installed on {name}; install it there first", 404) from None
        return found.id

    async def me(self) -> AppPayload:
        """The App's id and slug; its login is the slug followed by `[bot]`."""
        return await self.client.get(AppPayload, "/app")

    async def login(self) -> str:
        """The login that our texts appear under: asked until GitHub has told it, then known."""
        if not self._login:
            self._login = f"{(await self.me()).slug}[bot]"
        return self._login


@dataclass(frozen=True, slots=True)
class AppKey:
    """The App's id and private key (PEM), as a credential."""

    app_id: str
    pem: Secret

    async def authorization(self) -> str:
        """A fresh App JWT, backdated by a minute for a clock that is ahead."""
        return f"Bearer {self._jwt()}"

    def forget(self) -> bool:
        """A rejected JWT will be rejected again."""
        return False

    def _jwt(self) -> str:
        try:
            key = cast("str", _read(self.pem.reveal()))  # PyJWT takes a key that was read, gidgethub hands it on
            return get_jwt(app_id=self.app_id, private_key=key, expiration=_JWT_S)
        except (ValueError, TypeError, jwt.PyJWTError):
            raise UserError("the App's private key cannot be read; give the PEM file GitHub made for it") from None


@lru_cache(maxsize=2)
def _read(pem: str) -> AllowedRSAKeys:
    """The key in a PEM text. Reading one proves its primes, a tenth of a second in which nothing else is done."""
    return RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(pem)
