"""Where a GitHub is: the addresses of its REST API, its GraphQL API and its pages, the way there, and who counts.

One rule for github.com, GHE.com, GitHub Enterprise Server and a local server. Calls nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from bot.errors import UserError
from bot.forge.calls import Listener, unheard
from bot.network import DIRECT, Network, is_loopback

API_VERSION = "2022-11-28"  # known to github.com and to every supported Enterprise Server
USER_AGENT = "recalibrate"
_DEFAULT_PORTS = {"https": 443, "http": 80}
_OWNER = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,99})\Z")
_NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,100}\Z")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One GitHub. No address ends in a slash."""

    rest: str
    graphql: str
    web: str
    network: Network = field(default=DIRECT, repr=False)
    heard: Listener = field(default=unheard, repr=False, compare=False)  # told of every request

    @classmethod
    def of(cls, url: str, network: Network = DIRECT) -> Endpoint:
        """The endpoint that a person's address names.

        Accepts `https://github.com`, `https://api.github.com`, `https://NAME.ghe.com`, and for
        Enterprise Server the host with or without `/api/v3`. Plain HTTP is for loopback only.

        Raises:
            UserError: the address is not one of these.
        """
        parts = _split(url)
        host, path = parts.hostname or "", parts.path.rstrip("/")
        name = host.removeprefix("api.")
        if (name == "github.com" or name.endswith(".ghe.com")) and not path:
            return cls(f"https://api.{name}", f"https://api.{name}/graphql", f"https://{name}", network)
        if path in ("", "/api", "/api/v3"):
            root = f"{parts.scheme}://{parts.netloc}"
            return cls(f"{root}/api/v3", f"{root}/api/graphql", root, network)
        raise UserError(f"{url}: not a GitHub address; give https://github.com or https://HOST/api/v3")

    def owns(self, url: str) -> bool:
        """True where a credential for this endpoint may be sent to `url`: same scheme, host and port."""
        return _origin(urlsplit(url)) == _origin(urlsplit(self.rest))


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """`owner/name`, checked, so that it can be part of an address."""

    owner: str
    name: str

    @classmethod
    def of(cls, full_name: str) -> RepositoryName:
        """Raises UserError for what GitHub would not accept as `OWNER/NAME`."""
        owner, slash, name = full_name.partition("/")
        if not slash or not _OWNER.match(owner) or not _NAME.match(name):
            raise UserError(f"{full_name[:200]!r}: not a repository; write OWNER/NAME")
        return cls(owner, name)

    @property
    def path(self) -> str:
        """`/repos/OWNER/NAME`."""
        return f"/repos/{self.owner}/{self.name}"

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


def checked_owner(login: str) -> str:
    """An account's login, so that it can be part of an address; UserError for what GitHub would not accept."""
    if not _OWNER.match(login):
        raise UserError(f"{login[:200]!r}: not an account's login")
    return login


def _split(url: str) -> SplitResult:
    if any(mark in url for mark in "@?#"):
        raise UserError("a GitHub address holds no credentials, query or fragment; put the token in the environment")
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        raise UserError(f"{url}: not an address: {error}") from None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise UserError(f"{url}: not an address; it begins with https://")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UserError(f"{url}: a token is never sent over plain HTTP; use https://")
    return parts


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme)
