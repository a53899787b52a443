"""What GitHub says of a person who looks at the pages, asked with that person's own token.

GitHub's web flow for an App (docs.github.com, "Generating a user access token for a GitHub App"), with
state and PKCE. Fulfils `bot.dashboard.ports.Visitors`. No token is kept here.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import aiohttp
from pydantic import ValidationError

from bot.dashboard.ports import Errand, NotSignedInError, Person, TokenEndedError
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import GitHubClient, RetryPolicy
from bot.forge.endpoint import USER_AGENT, Endpoint, RepositoryName
from bot.forge.payloads.apps import PersonPayload, UserTokenPayload
from bot.forge.payloads.repositories import RepositoryPayload
from bot.forge.transport import no_answer
from bot.records.repositories import Repository

MAX_ANSWER_BYTES = 64 * 1024
POLICY = RetryPolicy(attempts=2, total_s=10.0)  # somebody waits for the page


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The App as a browser's user knows it: `callback` is the address that is registered with the App."""

    client_id: str
    secret: str = field(repr=False)
    callback: str


@dataclass(frozen=True, slots=True)
class _Bearer:
    """A visitor's token as a credential; there is no other one to be had."""

    token: str = field(repr=False)

    async def authorization(self) -> str:
        return f"Bearer {self.token}"

    def forget(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _ClientSecret:
    """The App's client id and secret as a credential."""

    client: OAuthClient

    async def authorization(self) -> str:
        return aiohttp.encode_basic_auth(self.client.client_id, self.client.secret)

    def forget(self) -> bool:
        return False


class GitHubVisitors:
    """Asks one GitHub, in a visitor's name. Each question is answered within the policy's total seconds, or not."""

    def __init__(
        self, session: aiohttp.ClientSession, endpoint: Endpoint, client: OAuthClient, policy: RetryPolicy = POLICY
    ) -> None:
        self._session = session
        self._endpoint = endpoint
        self._client = client
        self._policy = policy

    def sign_in_address(self, errand: Errand) -> str:
        """GitHub's page where a person agrees to be known to the App."""
        asked = {
            "client_id": self._client.client_id,
            "redirect_uri": self._client.callback,
            "state": errand.state,
            "code_challenge": _challenge(errand.verifier),
            "code_challenge_method": "S256",
        }
        return f"{self._endpoint.web}/login/oauth/authorize?{urlencode(asked)}"

    async def token(self, code: str, errand: Errand) -> str:
        """The person's token for the code they came back with; refusals come as 200 with an `error`."""
        form = {
            "client_id": self._client.client_id,
            "client_secret": self._client.secret,
            "code": code,
            "redirect_uri": self._client.callback,
            "code_verifier": errand.verifier,
        }
        body = await self._post(f"{self._endpoint.web}/login/oauth/access_token", form)
        try:
            return UserTokenPayload.model_validate_json(body).access_token
        except ValidationError:
            raise NotSignedInError("GitHub gave no token for the code") from None

    async def person(self, token: str) -> Person:
        """Whose token it is. One that GitHub refuses to name anybody for (401; 403 for who is suspended) has ended."""
        try:
            async with self._in_time():
                found = await self._as(token).get(PersonPayload, "/user")
        except RefusedError:
            raise _ended() from None
        return Person(found.id, found.login)

    async def may_read(self, token: str, repository: Repository) -> bool:
        """True where GitHub shows the repository to the token, under the id that we know it by."""
        try:
            async with self._in_time():
                found = await self._as(token).get(RepositoryPayload, RepositoryName.of(repository.full_name).path)
        except RefusedError as error:
            if error.status == 401:
                raise _ended() from None
            return False
        return found.id == repository.repository_id

    async def take_back(self, token: str) -> None:
        """Make the token worthless; one that is so already is fine."""
        client = GitHubClient(self._session, self._endpoint, _ClientSecret(self._client), self._policy)
        url = "/applications/{client_id}/token"
        try:
            async with self._in_time():
                await client.delete(url, {"client_id": self._client.client_id}, data={"access_token": token})
        except RefusedError as error:
            if error.status not in (404, 422):
                raise

    def _as(self, token: str) -> GitHubClient:
        return GitHubClient(self._session, self._endpoint, _Bearer(token), self._policy)

    async def _post(self, url: str, form: dict[str, str]) -> bytes:
        headers = {"accept": "application/json", "user-agent": USER_AGENT}
        sending = self._session.post(url, data=form, headers=headers, allow_redirects=False)
        try:
            async with self._in_time(), sending as response:
                body = await _bounded(response)
        except (aiohttp.ClientError, OSError) as error:
            raise BusyError(f"POST {url}: no answer: {no_answer(error)}") from None
        if response.status >= 500:
            raise BusyError(f"POST {url}: GitHub answered {response.status}", status=response.status)
        return body

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """However many tries there are, and however an answer trickles in: `BusyError` when the time is over."""
        try:
            async with asyncio.timeout(self._policy.total_s):
                yield
        except TimeoutError as error:
            raise BusyError(f"GitHub has not answered a visitor's question: {no_answer(error)}") from None


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """The body up to a bound; what is longer is no answer of GitHub's, and then no token either."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(MAX_ANSWER_BYTES):
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            return b""
    return bytes(body)


def _ended() -> TokenEndedError:
    return TokenEndedError("GitHub does not take the visitor's token any more")


def _challenge(verifier: str) -> str:
    """RFC 7636, 4.2: BASE64URL(SHA256(verifier)) without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
