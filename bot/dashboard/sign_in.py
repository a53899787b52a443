"""Signing in by GitHub's web flow, and out again.

The state that comes back must be the one in this browser's cookie, the code is worth something only
with the verifier in there (PKCE), and the visitor goes on to an address of ours alone.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
from dataclasses import dataclass
from urllib.parse import parse_qs

from aiohttp import StreamReader, web

from bot.dashboard import addresses, answers
from bot.dashboard.access import Access
from bot.dashboard.ports import Errand, NotSignedInError, TokenEndedError, Visitors
from bot.dashboard.session import Session, SigningIn
from bot.dashboard.visit import Cookies, frame
from bot.errors import RecalibrateError
from bot.page_settings import PageSettings

MAX_FORM_BYTES = 4096
FORM_S = 10.0
_OWN_ADDRESS = re.compile(r"/pages(?:/[A-Za-z0-9._~/-]{0,500})?(?:\?[A-Za-z0-9._~*%+=&/-]{0,1000})?", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9._-]{1,200}", re.ASCII)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SignIn:
    """The four addresses of signing in and out."""

    settings: PageSettings
    cookies: Cookies
    visitors: Visitors
    access: Access

    def add_to(self, routes: web.UrlDispatcher) -> None:
        """Where they are, below `/pages`. A HEAD must not use up a code."""
        routes.add_get("/sign-in", self.begin, name="sign_in", allow_head=False)
        routes.add_get("/signed-in", self.come_back, name="signed_in", allow_head=False)
        routes.add_post("/sign-out", self.end, name="sign_out")
        routes.add_get("/signed-out", self.ended, name="signed_out")

    async def begin(self, request: web.Request) -> web.Response:
        """Send the browser to GitHub, with something to recognise it by."""
        errand = SigningIn(to=own_address(request.query.get("to", "")))
        answer = answers.elsewhere(self.visitors.sign_in_address(Errand(errand.state, errand.verifier)))
        self.cookies.begin(answer, errand)
        return answer

    async def come_back(self, request: web.Request) -> web.Response:
        """Take the code that GitHub gave the browser, and see who it is."""
        errand = self.cookies.signing_in(request)
        if errand is None or not _same(request.query.get("state", ""), errand.state):
            return answers.not_signed_in("This sign-in was not begun in this browser, or too long ago. Begin again.")
        if request.query.get("error"):
            return answers.not_signed_in("GitHub was not allowed to say who you are.")
        if not _CODE.fullmatch(request.query.get("code", "")):
            return answers.not_signed_in("GitHub sent no code. Begin again.")
        try:
            token = await self.visitors.token(request.query["code"], Errand(errand.state, errand.verifier))
            person = await self.visitors.person(token)
        except (NotSignedInError, TokenEndedError):
            log.warning("sign-in refused by GitHub")
            return answers.not_signed_in("GitHub did not confirm the sign-in. Begin again.")
        answer = answers.elsewhere(errand.to)
        self.cookies.sign_in(answer, Session(number=person.number, login=person.login, token=token))
        return answer

    async def end(self, request: web.Request) -> web.Response:
        """Sign out: by a form of ours alone. The token is made worthless at GitHub too, where it answers."""
        session = self.cookies.session(request)
        if session is not None:
            if not _same(await sent_token(request.content), session.sign_out_token):
                return answers.out_of_date(frame(self.settings, session))
            try:
                await self.visitors.take_back(session.token)
            except RecalibrateError:
                log.warning("a token was not taken back")  # it ends by itself
            self.access.forget(session)  # last: until now another request could have an answer remembered
        answer = answers.elsewhere(addresses.SIGNED_OUT)
        self.cookies.sign_out(answer)
        return answer

    async def ended(self, _request: web.Request) -> web.Response:
        """What is shown afterwards."""
        return answers.signed_out()


def own_address(asked: str) -> str:
    """The address where it is a page of ours, else the first page: nobody is sent elsewhere from here."""
    return asked if _OWN_ADDRESS.fullmatch(asked) else addresses.HOME


async def sent_token(body: StreamReader, within_s: float = FORM_S) -> str:
    """The token of a form, read within bounds of size and time; "" where there is none, or it does not come."""
    read = b""
    try:
        async with asyncio.timeout(within_s):
            while len(read) < MAX_FORM_BYTES and (chunk := await body.read(MAX_FORM_BYTES - len(read))):
                read += chunk
    except TimeoutError:
        return ""
    return parse_qs(read.decode("ascii", "replace")).get("token", [""])[0]


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())
