"""Who is signed in, as an encrypted cookie in their own browser; the server keeps nothing.

Fernet encrypts and signs, and stamps the time, so that an old cookie opens nothing. What a cookie is
for stands inside it: one made for signing in is no session. A visitor's token lives here alone. The place
where a list goes on is sealed likewise, and stands in an address.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

from cryptography.fernet import Fernet, InvalidToken
from pydantic import BaseModel, ConfigDict, Field, ValidationError

SESSION_S = 2 * 3600  # then GitHub is asked again who it is, which is one click
ERRAND_S = 600  # as long as GitHub's own code is good
MAX_COOKIE_CHARS = 4096  # what browsers keep

_Text = Annotated[str, Field(min_length=1, max_length=2000)]


class _Sealed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Session(_Sealed):
    """A signed-in visitor; `number` is the account's. `sign_out_token` is what their sign-out form must send."""

    purpose: Literal["session"] = "session"
    number: int = Field(gt=0)
    login: _Text
    token: _Text = Field(repr=False)
    sign_out_token: _Text = Field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))


class SigningIn(_Sealed):
    """A visitor on their way to GitHub and back; `to` is the page they came from."""

    purpose: Literal["signing_in"] = "signing_in"
    state: _Text = Field(repr=False, default_factory=lambda: secrets.token_urlsafe(32))
    verifier: _Text = Field(repr=False, default_factory=lambda: secrets.token_urlsafe(48))
    to: _Text


class Further(_Sealed):
    """Where a visitor's list goes on: behind an id, perhaps that of a repository which they must not know of."""

    purpose: Literal["further"] = "further"
    after: int = Field(ge=0)


_S = TypeVar("_S", bound=_Sealed)


@dataclass(frozen=True, slots=True)
class Seal:
    """Closes and opens texts with one key of 32 bytes. `now` is seconds since the epoch."""

    key: bytes = field(repr=False)
    now: Callable[[], float] = time.time

    def close(self, value: _Sealed) -> str:
        """The text for a cookie or an address."""
        return self._fernet().encrypt_at_time(value.model_dump_json().encode(), int(self.now())).decode()

    def open(self, kind: type[_S], text: str | None, life_s: int) -> _S | None:
        """What a text holds; None where it is not ours, too old, or of another purpose."""
        if not text or len(text) > MAX_COOKIE_CHARS:
            return None
        try:
            plain = self._fernet().decrypt_at_time(text.encode(), life_s, int(self.now()))
            return kind.model_validate_json(plain)
        except (InvalidToken, ValidationError, UnicodeEncodeError):
            return None

    def _fernet(self) -> Fernet:
        return Fernet(base64.urlsafe_b64encode(self.key))
