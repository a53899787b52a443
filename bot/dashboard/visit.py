"""One request's visitor: whose session it is, what stands around their page, and the cookies that carry both.

Whether the visitor may see a repository is `access.py`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aiohttp import web

from bot.dashboard.session import ERRAND_S, SESSION_S, Seal, Session, SigningIn
from bot.dashboard.templates import Frame
from bot.page_settings import PageSettings


@dataclass(frozen=True, slots=True)
class Cookies:
    """The two cookies. Over https their names say that only this host may set them (RFC 6265bis, `__Host-`)."""

    seal: Seal
    secure: bool

    def session(self, request: web.Request) -> Session | None:
        """The session that a request carries."""
        return self.seal.open(Session, request.cookies.get(self._name("session")), SESSION_S)

    def signing_in(self, request: web.Request) -> SigningIn | None:
        """What was kept of a visitor who was sent to GitHub."""
        return self.seal.open(SigningIn, request.cookies.get(self._name("signing-in")), ERRAND_S)

    def begin(self, answer: web.Response, errand: SigningIn) -> None:
        """Keep what must come back from GitHub."""
        self._set(answer, "signing-in", self.seal.close(errand), ERRAND_S)

    def sign_in(self, answer: web.Response, session: Session) -> None:
        """Keep who is signed in; the errand is over."""
        self._set(answer, "session", self.seal.close(session), SESSION_S)
        self._drop(answer, "signing-in")

    def sign_out(self, answer: web.Response) -> None:
        """Keep nothing."""
        self._drop(answer, "session")

    def _name(self, what: Literal["session", "signing-in"]) -> str:
        return f"__Host-recalibrate-{what}" if self.secure else f"recalibrate-{what}"

    def _set(self, answer: web.Response, what: Literal["session", "signing-in"], text: str, life_s: int) -> None:
        # Lax, not Strict: coming back from GitHub is a navigation from another site
        answer.set_cookie(
            self._name(what), text, max_age=life_s, path="/", secure=self.secure, httponly=True, samesite="Lax"
        )

    def _drop(self, answer: web.Response, what: Literal["session", "signing-in"]) -> None:
        answer.del_cookie(self._name(what), path="/", secure=self.secure, httponly=True, samesite="Lax")


def frame(settings: PageSettings, session: Session | None) -> Frame:
    """What stands around a visitor's page."""
    if session is None:
        return Frame()
    return Frame(session.login, session.sign_out_token, is_operator(settings, session.number))


def is_operator(settings: PageSettings, number: int) -> bool:
    """True where the account is one of the configured ones."""
    return number in settings.operators
