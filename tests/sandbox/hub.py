"""What a test of the sandbox holds in its hands: the running server, its clock, and short ways to call it."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from bot.sandbox import scenario
from bot.sandbox.people import Contributor
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.threaded import ThreadedSandbox
from tests.sandbox.github_schema import Watcher
from tests.waits import PATIENCE_S

OWNER, NAME = "octo", "tests"
RECEIVED_AT = datetime(2026, 8, 3, 12, 0, tzinfo=UTC)


@dataclass
class Clock:
    """The sandbox's time; it moves only when a test moves it."""

    now: datetime = RECEIVED_AT

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **spans: int) -> None:
        self.now += timedelta(**spans)


@dataclass(frozen=True)
class Reply:
    """One HTTP answer; `json` is None where the body is not JSON."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def http(method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Reply:
    """One request without redirects; every status is an answer."""
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"User-Agent": "tests", **(headers or {})}, method=method)  # noqa: S310 - loopback
    return sent(request)


def sent(request: urllib.request.Request, *handlers: urllib.request.BaseHandler) -> Reply:
    """The answer to a request without redirects and proxies; every status is one."""
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}), *handlers)
    try:
        with opener.open(request, timeout=PATIENCE_S) as answer:
            return Reply(answer.status, answer.read(), answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, error.read(), error.headers)


@dataclass
class Hub:
    """A running sandbox with its one repository, its App, and short ways to call it."""

    running: ThreadedSandbox
    world: World
    repo: Repo
    access: scenario.AppAccess
    clock: Clock
    watcher: Watcher
    _token: str = field(default="", repr=False)

    def jwt(self, key: bytes | None = None, **claims: Any) -> str:
        at = int(self.clock().timestamp())
        payload = {"iat": at - 30, "exp": at + 300, "iss": str(self.access.app.id), **claims}
        return jwt.encode(payload, key or self.access.private_pem, algorithm="RS256")

    def app(self, method: str, path: str, body: Any = None, **claims: Any) -> Reply:
        """A call as the App itself."""
        return http(method, self.running.urls.api + path, body, {"Authorization": f"Bearer {self.jwt(**claims)}"})

    def client(self, secret: str = "") -> dict[str, str]:
        """The header by which the App is known without its key: client id and secret."""
        app = self.access.app
        signed = base64.b64encode(f"{app.client_id}:{secret or app.client_secret}".encode()).decode()
        return {"Authorization": f"Basic {signed}"}

    def token(self, **body: Any) -> str:
        """A fresh installation token."""
        reply = self.app("POST", f"/app/installations/{self.access.installation.id}/access_tokens", body or None)
        assert reply.status == 201, reply.body
        return str(reply.json["token"])

    def default_token(self) -> str:
        """A token with everything the App may do, made once."""
        self._token = self._token or self.token()
        return self._token

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Reply:
        """A call with an installation token; a path that starts with `/` is below the repository."""
        url = path if path.startswith("http") else f"{self.running.urls.api}/repos/{self.repo.full_name}{path}"
        return http(method, url, body, {"Authorization": f"token {token or self.default_token()}"})

    def graphql(self, query: str, variables: Any = None, token: str | None = None) -> Any:
        """A GraphQL call; its JSON."""
        reply = http(
            "POST",
            self.running.urls.graphql,
            {"query": query, "variables": variables or {}},
            {"Authorization": f"bearer {token or self.default_token()}"},
        )
        assert reply.status == 200, reply.body
        return reply.json

    def person(self, login: str = "mona", role: str = "write") -> Contributor:
        """A person with a role in the repository."""
        account = self.world.account(login)
        self.repo.roles[login] = role
        return Contributor(self.world, self.repo, account)
