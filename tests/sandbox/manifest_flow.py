"""What a browser does in GitHub's manifest flow, in steps: read the form, send it, agree, follow the way back."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import urlencode

from tests.sandbox.hub import Reply, http


class Form(HTMLParser):
    """The first form of a page: where it goes, and the values of its hidden fields; and every link."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.action = ""
        self.values: dict[str, str] = {}
        self.links: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = given.get("action", "")
        elif tag == "input" and given.get("type") == "hidden":
            self.values[given["name"]] = given["value"]
        elif tag == "a":
            self.links.append(given.get("href", ""))


def post(url: str, values: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Reply:
    kind = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
    return http("POST", url, urlencode(values).encode(), kind)


def agreed(wish: Form, name: str = "") -> Reply:
    """A person sends the manifest to GitHub and agrees, perhaps under another name: the way back."""
    asked = post(wish.action, wish.values)
    assert asked.status == 200, asked.body
    chosen = {"name": name} if name else {}
    return post(wish.action, {**Form(asked.body).values, **chosen, "agreed": "1"})
