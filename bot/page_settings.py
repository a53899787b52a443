"""The settings of the pages, checked: who the App is to a visitor's browser, where the pages are, the cookies' key.

Pure: values in, settings or a refusal that names the variable out. `bot.settings` reads the environment.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bot.errors import UserError
from bot.network import is_loopback

PREFIX = "RECALIBRATE_PAGES_"
NEEDED = ("CLIENT_ID", "CLIENT_SECRET", "URL", "KEY")
KEY_BYTES = 32
_CLIENT_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What the pages need. `url` is scheme and host without a slash; `operators` are GitHub's numbers of accounts."""

    client_id: str
    client_secret: str = field(repr=False)
    url: str
    key: bytes = field(repr=False)
    operators: frozenset[int] = frozenset()

    @property
    def secure(self) -> bool:
        """True where browsers reach the pages over https."""
        return self.url.startswith("https://")


def page_settings(given: Mapping[str, str]) -> PageSettings | None:
    """The settings in `given` (names without their prefix, "" for what is not set); None where none is set.

    Raises:
        UserError: some are set and others are missing, or one is wrong.
    """
    values = {name: value.strip() for name, value in given.items()}
    if not any(values.values()):
        return None
    missing = [PREFIX + name for name in NEEDED if not values.get(name)]
    if missing:
        present = ", ".join(PREFIX + name for name, value in sorted(values.items()) if value)
        raise UserError(f"the pages are half configured: {present} set, {', '.join(missing)} not; set all or none")
    if not _CLIENT_ID.fullmatch(values["CLIENT_ID"]):
        raise UserError(f"{PREFIX}CLIENT_ID: not a client id; it stands on the App's settings page")
    return PageSettings(
        client_id=values["CLIENT_ID"],
        client_secret=values["CLIENT_SECRET"],
        url=base_url(values["URL"], f"{PREFIX}URL"),
        key=_key(values["KEY"]),
        operators=_accounts(values.get("OPERATORS", "")),
    )


def base_url(url: str, named: str) -> str:
    """Where browsers find the service. Plain http is for loopback: a cookie that stands for a person travels there.

    Raises:
        UserError: it is no such address; `named` is who gave it.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as error:
        raise UserError(f"{named}: {url}: not an address: {error}") from None
    plain = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
    if not plain or "@" in url or "?" in url or "#" in url:
        raise UserError(f"{named}: give the scheme and the host alone, such as https://recalibrate.example.org")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UserError(f"{named}: {url}: a sign-in never travels over plain HTTP; use https://")
    return f"{parts.scheme}://{parts.netloc}"


def _key(text: str) -> bytes:
    """32 bytes in base64, either alphabet."""
    try:
        key = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise UserError(f"{PREFIX}KEY: not {KEY_BYTES} bytes in base64; `openssl rand -base64 32` makes one")
    return key


def _accounts(text: str) -> frozenset[int]:
    """Numbers, not logins: a login that its owner gave up can be taken by anybody."""
    numbers = text.replace(",", " ").split()
    for number in numbers:
        if not _NUMBER.fullmatch(number):
            raise UserError(
                f"{PREFIX}OPERATORS: {number[:100]!r}: not the number of an account; "
                "`gh api users/LOGIN --jq .id` tells it; give numbers with commas between them"
            )
    return frozenset(map(int, numbers))
