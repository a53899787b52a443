"""The reading half's HTTP: gidgethub over aiohttp, with bounded repeats of reads.

A credential goes to the endpoint's own scheme, host and port and nowhere else; a redirect is followed
only there, and only where it says that something has moved for good. Nothing in this module changes a repository.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import aiohttp
from gidgethub import GitHubException, QueryError, sansio
from gidgethub import aiohttp as gidgethub_aiohttp
from pydantic import BaseModel
from yarl import URL

from bot.errors import InternalError
from bot.forge.answers import Answer, BusyError, RefusedError, graphql_problem, problem, wait_s
from bot.forge.endpoint import API_VERSION, USER_AGENT, Endpoint
from bot.forge.transport import no_answer

MAX_BODY_BYTES = 160 * 1024 * 1024  # a blob of 100 MB, GitHub's limit, in base64
MAX_PAGES = 200
MOVED = (301, 308)  # for good: a repository that was renamed or transferred. A log's 302 is never followed
ANSWER_S = 120.0  # the longest one answer may take, whatever trickles in meanwhile
_ACCEPT = sansio.accept_format()
_log = logging.getLogger(__name__)
_Model = TypeVar("_Model", bound=BaseModel)


class Credential(Protocol):
    """What a request is signed with. Never shows itself in a repr."""

    async def authorization(self) -> str:
        """The `Authorization` header's value."""
        ...

    def forget(self) -> bool:
        """Drop a cached secret that GitHub rejected; True where another one can be had."""
        ...


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a read is asked again: whichever bound is met first."""

    attempts: int = 4
    total_s: float = 90.0
    first_s: float = 0.5
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.time


DEFAULT_POLICY = RetryPolicy()


class GitHubClient(gidgethub_aiohttp.GitHubAPI):
    """One credential's view of one GitHub."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        credential: Credential,
        policy: RetryPolicy = DEFAULT_POLICY,
    ) -> None:
        super().__init__(session, USER_AGENT, base_url=endpoint.rest)
        self.endpoint = endpoint
        self.policy = policy
        self._credential = credential

    def __repr__(self) -> str:
        return f"GitHubClient({self.endpoint.rest})"

    async def get(self, model: type[_Model], url: str, **url_vars: str) -> _Model:
        """GET one object.

        Raises:
            RefusedError: GitHub said no; `status` says how.
            BusyError: it did not answer in time, or not with what was asked for.
        """
        with _readable(url):
            return model.model_validate(await self.getitem(url, url_vars))

    async def pages(self, model: type[_Model], url: str, **url_vars: str) -> AsyncIterator[_Model]:
        """GET every page of a list, following `rel="next"`; errors as `get`."""
        at = url
        for _ in range(MAX_PAGES):
            with _readable(url):
                data, more, _status = await self._make_request("GET", at, url_vars, b"", _ACCEPT)
                page = model.model_validate(data)
            yield page
            if more is None:
                return
            at = more
        raise RefusedError(f"GET {url}: more than {MAX_PAGES} pages", 0)

    async def query(self, text: str, **variables: Any) -> dict[str, Any]:
        """Ask a GraphQL question (never a mutation) and give its `data`.

        Raises:
            RefusedError: an error about a named thing, such as a repository that is hidden.
            BusyError: a time-out, a limit, or an error GitHub does not explain.
        """
        try:
            data = await self.graphql(text, endpoint=self.endpoint.graphql, **variables)
        except QueryError as error:
            raise graphql_problem(error.response) from None
        except (GitHubException, ValueError) as error:
            raise BusyError(f"POST /graphql: unreadable answer: {type(error).__name__}") from None
        if not isinstance(data, dict):
            raise BusyError("POST /graphql: an answer without data")
        return data

    async def location(self, url: str, **url_vars: str) -> str:
        """Where a GET is redirected to. The address is given, not visited.

        Raises:
            RefusedError: as `get`, and for an answer that is no redirect.
        """
        full = self._absolute(url, url_vars)
        answer = await self._answer("GET", full, {"user-agent": USER_AGENT, "accept": _ACCEPT}, b"")
        target = answer.header("location")
        if answer.status not in (302, 303, 307) or not target:
            raise problem(_named("GET", full), answer, self.policy.clock())
        return target

    def _absolute(self, url: str, url_vars: Mapping[str, str]) -> str:
        return sansio.format_url(url, dict(url_vars), base_url=self.base_url)

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        """The one way out of gidgethub. Answers that are no success become our exceptions here."""
        answer = await self._answer(method, url, headers, body)
        if answer.status >= 300:
            raise problem(_named(method, url), answer, self.policy.clock())
        return answer.status, answer.headers, answer.body

    async def _answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send; where GitHub says that a repository has another name now, read there, once."""
        answer = await self._sent(method, url, headers, body)
        target = answer.header("location") if answer.status in MOVED and method == "GET" else ""
        if target and self.endpoint.owns(target):
            return await self._sent(method, target, headers, body)
        return answer

    async def _sent(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send, and for reads send again within the policy's bounds."""
        if not self.endpoint.owns(url):
            raise InternalError(f"refusing to send a credential to {urlsplit(url).hostname}")
        is_read = method == "GET" or url == self.endpoint.graphql
        attempts = self.policy.attempts if is_read else 1
        deadline = self.policy.clock() + self.policy.total_s
        for attempt in range(1, attempts):
            answer = await self._once(method, url, headers, body)
            pause = self._pause(answer, attempt)
            if pause is None:
                return answer
            if self.policy.clock() + pause > deadline:
                raise BusyError(f"{_named(method, url)}: GitHub asks for more time than a read may take", pause)
            _log.info("read repeated", extra={"path": urlsplit(url).path, "attempt": attempt, "pause_s": pause})
            await self.policy.sleep(pause)
        answer = await self._once(method, url, headers, body)
        if answer.status == 0:
            raise BusyError(f"{_named(method, url)}: no answer: {answer.header('reason')}")
        return answer

    def _pause(self, answer: Answer, attempt: int) -> float | None:
        """Seconds until this read is worth another try, None where it is answered for good."""
        if answer.status == 401 and self._credential.forget():
            return 0.0
        asked = 0.0 if answer.status == 0 else wait_s(answer, self.policy.clock())
        if asked is None:
            return None
        jitter = random.uniform(1.0, 1.5)  # noqa: S311 - no secret
        growing: float = self.policy.first_s * 2.0 ** (attempt - 1) * jitter
        return max(asked, growing)

    async def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """One try; status 0 where the connection broke, with the reason's name as a header."""
        signed = {
            **headers,
            "authorization": await self._credential.authorization(),
            "x-github-api-version": API_VERSION,
        }
        sending = self._session.request(
            method, URL(url, encoded=True), headers=signed, data=body, allow_redirects=False
        )
        try:
            async with asyncio.timeout(ANSWER_S), sending as response:
                return Answer(response.status, response.headers, await bounded(response))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return Answer(0, {"reason": no_answer(error)})


async def bounded(response: aiohttp.ClientResponse) -> bytes:
    """The whole body, or a refusal where it is larger than anything GitHub's manual allows."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(1 << 16):
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RefusedError(f"an answer of more than {MAX_BODY_BYTES} bytes", 0)
    return bytes(body)


def _named(method: str, url: str) -> str:
    return f"{method} {urlsplit(url).path}"


@contextmanager
def _readable(url: str) -> Iterator[None]:
    """What is not JSON, or not the JSON that was asked for, is a failure of the server."""
    try:
        yield
    except (GitHubException, ValueError) as error:
        raise BusyError(f"GET {url}: unreadable answer: {type(error).__name__}") from None
