"""What a handler of the sandbox gets and gives: one call, one answer, GitHub's errors; paging.

No route is known here, and nothing of aiohttp: handlers are plain functions on these values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from bot.sandbox.state import Json
from bot.sandbox.state.access import Installation, Token
from bot.sandbox.state.accounts import Account, App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Wire

DOCUMENTATION = "https://docs.github.com/rest"
PER_PAGE, MAX_PER_PAGE = 30, 100  # docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api

T = TypeVar("T")


class ApiError(Exception):
    """A refusal in GitHub's words."""

    def __init__(self, status: int, message: str, errors: Sequence[Json] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = tuple(errors)

    def body(self) -> Json:
        """The JSON GitHub sends with it."""
        base: Json = {"message": self.message, "documentation_url": DOCUMENTATION}
        return {**base, "errors": list(self.errors)} if self.errors else {**base, "status": str(self.status)}


def not_found() -> ApiError:
    """404: also what a caller gets who may not know that a thing exists."""
    return ApiError(404, "Not Found")


def invalid(resource: str, field_name: str, message: str = "", code: str = "invalid") -> ApiError:
    """422 about one field."""
    error: Json = {"resource": resource, "field": field_name, "code": code}
    return ApiError(422, "Validation Failed", [{**error, "message": message} if message else error])


def custom(resource: str, message: str) -> ApiError:
    """422 with GitHub's free text."""
    return ApiError(422, "Validation Failed", [{"resource": resource, "code": "custom", "message": message}])


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: an App by its JWT (`app`) or by its client secret (`client`), or the holder of a token."""

    app: App | None = None
    token: Token | None = None
    client: App | None = None

    @property
    def actor(self) -> Account:
        """The account whose name the effect carries."""
        if self.token is not None:
            return self.token.actor
        app = self.app or self.client
        if app is not None:
            return app.bot
        raise ApiError(401, "Requires authentication")

    @property
    def installation(self) -> Installation | None:
        """The installation whose token it is."""
        return self.token.installation if self.token else None

    @property
    def via_app(self) -> App | None:
        """The App that an effect is marked with."""
        return self.installation.app if self.installation else None

    def may(self, permission: str, level: str) -> bool:
        """True where the token grants at least `level` (read, write) of `permission`."""
        granted = self.token.permissions.get(permission, "") if self.token else ""
        order = {"": 0, "read": 1, "write": 2, "admin": 3}
        return order.get(granted, 0) >= order[level]

    def sees(self, repo: Repo) -> bool:
        """True where the repository is inside the token's scope."""
        if self.token is None:
            return False
        if self.token.installation is None:
            theirs = not repo.private or self.token.actor == repo.owner or self.token.actor.login in repo.roles
            return theirs and self.token.within(repo)
        chosen = self.token.installation.repositories
        inside = self.token.installation.account == repo.owner and (chosen is None or repo.id in chosen)
        return inside and (self.token.repositories is None or repo.id in self.token.repositories)


@dataclass(frozen=True, slots=True)
class Call:
    """One request after authentication."""

    world: World
    caller: Caller
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    headers: Mapping[str, str]
    url: str  # without the query
    found_repo: Repo | None = None

    @property
    def repo(self) -> Repo:
        """The repository the path names."""
        if self.found_repo is None:
            raise not_found()
        return self.found_repo

    def number(self, name: str) -> int:
        """A whole number from the path."""
        text = self.path[name]
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise not_found()
        return int(text)

    def text(self, name: str, default: str | None = None) -> str:
        """A string from the body; without a default it is required."""
        value = self.body.get(name, default)
        if value is None:
            raise wrong_type(name, "is required" if name not in self.body else "is not a string")
        if not isinstance(value, str):
            raise wrong_type(name, "is not a string")
        return value

    def flag(self, name: str) -> bool:
        """A boolean from the body, False where absent."""
        value = self.body.get(name, False)
        if not isinstance(value, bool):
            raise wrong_type(name, "is not a boolean")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of strings from the body, empty where absent."""
        value = self.body.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise wrong_type(name, "is not an array of strings")
        return value


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. `body` None sends nothing; bytes and text are sent as they are."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wire: Wire = Wire.WHOLE


Handler = Callable[[Call], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """One REST operation. Any of `needs` (permission, level) is enough; empty needs nothing.

    `by_app` marks the operations that take the App's own JWT instead of a token, `by_client` those that take
    its client id and secret, `anonymous` those that take nothing; `bare_array` names the field that a body means
    which is an array alone.
    """

    method: str
    template: str
    handler: Handler
    needs: tuple[tuple[str, str], ...] = ()
    by_app: bool = False
    by_client: bool = False
    anonymous: bool = False
    bare_array: str = ""

    @property
    def name(self) -> str:
        """The template as GitHub's reference writes it, without patterns."""
        return re.sub(r":[^{}]{0,200}}", "}", self.template)


def wrong_type(name: str, problem: str) -> ApiError:
    """422 about the shape of a request."""
    return ApiError(422, f"Invalid request.\n\n{name!r} {problem}.")


def paged(call: Call, items: Sequence[T]) -> tuple[list[T], dict[str, str]]:
    """The page a call asks for, and the `Link` header where there are others."""
    size = min(max(_whole(call.query.get("per_page"), PER_PAGE), 1), MAX_PER_PAGE)
    page = max(_whole(call.query.get("page"), 1), 1)
    last = max(1, -(-len(items) // size))
    links: dict[str, int] = {}
    if page < last:
        links |= {"next": page + 1, "last": last}
    if page > 1:
        links |= {"first": 1, "prev": min(page - 1, last)}
    header = ", ".join(f'<{_page_url(call, number)}>; rel="{name}"' for name, number in links.items())
    return list(items[(page - 1) * size : page * size]), {"Link": header} if header else {}


def listing(call: Call, items: Sequence[T], view: Callable[[T], Any]) -> Answer:
    """A page of a plain array."""
    chosen, headers = paged(call, items)
    return Answer([view(item) for item in chosen], headers=headers)


def _page_url(call: Call, number: int) -> str:
    return f"{call.url}?{urlencode({**call.query, 'page': str(number)})}"


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else default
