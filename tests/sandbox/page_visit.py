"""A browser as far as HTTP goes: it keeps cookies, follows nothing by itself, and signs in at the local GitHub."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path

from tests.sandbox.hub import Reply, sent
from tests.sandbox.service import Rig, rig


@dataclass
class Visitor:
    """One browser at one service's pages."""

    url: str
    jar: CookieJar = field(default_factory=CookieJar)

    def get(self, path: str, method: str = "GET", body: bytes | None = None) -> Reply:
        """One request to the pages, or to the whole address where one is given."""
        url = path if path.startswith("http") else self.url + path
        request = urllib.request.Request(url, body, {"User-Agent": "tests"}, method=method)  # noqa: S310 - loopback
        return sent(request, urllib.request.HTTPCookieProcessor(self.jar))

    def text(self, path: str) -> str:
        """A page that is shown."""
        reply = self.get(path)
        assert reply.status == 200, reply.body
        return reply.body.decode()

    def to_github(self, to: str = "") -> str:
        """Begin to sign in; where GitHub asks who one is."""
        reply = self.get(f"/pages/sign-in?to={to}")
        assert reply.status == 303
        return str(reply.headers["Location"])

    def back(self, github: str, login: str) -> str:
        """Agree at GitHub; the address it sends the browser back to."""
        reply = self.get(f"{github}&login={login}")
        assert reply.status == 302
        return str(reply.headers["Location"])

    def sign_in(self, login: str, to: str = "") -> str:
        """All of it; where the pages send the visitor on to."""
        reply = self.get(self.back(self.to_github(to), login))
        assert reply.status == 303, reply.body
        return str(reply.headers["Location"])


@contextmanager
def page_rig(directory: Path) -> Iterator[Rig]:
    """A running service with pages."""
    with socket.create_server(("127.0.0.1", 0)) as listener, rig(directory, listener) as made:
        yield made


def visitor(of: Rig) -> Visitor:
    """A fresh browser."""
    assert of.settings.pages
    return Visitor(of.settings.pages.url)
