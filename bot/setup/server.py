"""The set-up over HTTP: a page on this machine, the way to GitHub and back, and the end.

Who may go on is `bot.setup.dialogue`'s part, what GitHub is asked is `bot.forge.manifests`', where secrets go is
`bot.setup.keeping`'s. It serves one set-up, then nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web

from bot.errors import RetryableError, UserError
from bot.forge.manifests import MadeApp, convert
from bot.forge.needs import EVENTS, PERMISSIONS
from bot.forge.transport import new_session
from bot.network import is_loopback
from bot.setup.dialogue import Dialogue, Refusal
from bot.setup.keeping import Keeper
from bot.setup.pages import ANY_FORM, page, refused
from bot.setup.wish import Wish
from bot.setup.words import AGAIN

BACK = "/created"
TOTAL_S = 15 * 60.0
LAST_PAGE_S = 5.0  # how long the last answer may take on its way
_MOST_BYTES = 4096

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page is served, and for how long. Port 0: any free one."""

    host: str = "127.0.0.1"
    port: int = 0
    total_s: float = TOTAL_S


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended: the App, and the command to run next."""

    app: MadeApp
    command: str


async def set_up(wish: Wish, keeper: Keeper, place: Place, invite: Callable[[str, str], None]) -> Done:
    """Serve until the App is made. `invite` is given the page's address and the one-time code.

    Raises:
        UserError: it was refused, nobody came in time, or the secrets could not be kept.
    """
    keeper.ready()
    dialogue = Dialogue()
    async with new_session(wish.endpoint.network) as session:
        steps = Steps(wish, keeper, dialogue, session, place.host)
        runner = web.AppRunner(steps.routes(), access_log=None, shutdown_timeout=LAST_PAGE_S)
        await runner.setup()
        try:
            await _listen(runner, place)
            host = f"[{place.host}]" if ":" in place.host else place.host
            invite(f"http://{host}:{runner.addresses[0][1]}/", dialogue.code)
            return await steps.end(place.total_s)
        finally:
            await runner.cleanup()


async def _listen(runner: web.AppRunner, place: Place) -> None:
    try:
        await web.TCPSite(runner, place.host, place.port).start()
    except OSError as error:
        raise UserError(f"{place.host}:{place.port}: cannot be listened to: {error.strerror}") from None


@dataclass(slots=True)
class Steps:
    """The pages of one set-up, in order."""

    wish: Wish
    keeper: Keeper
    dialogue: Dialogue
    session: aiohttp.ClientSession
    host: str
    ended: asyncio.Future[Done] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def end(self, within_s: float) -> Done:
        """How it ended; an answer that is being taken when the time is over is taken to its end.

        Raises:
            UserError: it did not end well, or not in time.
        """
        await asyncio.wait([self.ended], timeout=within_s)
        async with self._one:
            if self.ended.done():
                return self.ended.result()
        raise UserError(f"no App was made within {within_s / 60:.0f} minutes. {AGAIN}")

    def routes(self) -> web.Application:
        """Every address that there is."""
        app = web.Application(client_max_size=_MOST_BYTES, middlewares=[self._guarded])
        app.router.add_get("/", self.asks)
        app.router.add_post("/", self.begins)
        app.router.add_get(BACK, self.returns)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Answering) -> web.StreamResponse:
        """Another site's page can reach loopback by a name of its own (DNS rebinding) or by a form: neither gets in."""
        if not self._is_ours(request.headers.get("Host", "")):
            return refused(Refusal.WRONG_HOST)
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{request.headers['Host']}":
            return refused(Refusal.FOREIGN_ORIGIN)
        try:
            return await handler(request)
        except web.HTTPException as error:
            if error.status in (404, 405):
                return refused(Refusal.NOT_HERE)
            raise

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return is_loopback(name) or name == self.host.lower()

    async def asks(self, _request: web.Request) -> web.Response:
        """The page that asks for the code."""
        return page("code.html")

    async def begins(self, request: web.Request) -> web.StreamResponse:
        """The code was typed: what will be asked for, and the button that goes to GitHub."""
        given = (await request.post()).get("code", "")
        refusal = self.dialogue.begin(given if isinstance(given, str) else "")
        if refusal is Refusal.TOO_MANY_TRIES:
            return await self._end(request, refusal, f"too many wrong codes. {AGAIN}")
        if refusal:
            return refused(refusal)
        wish = self.wish
        return page(
            "wish.html",
            forms=ANY_FORM,
            address=wish.address(self.dialogue.state),
            manifest=wish.manifest(f"http://{request.headers['Host']}{BACK}"),
            github=urlsplit(wish.endpoint.web).netloc,
            permissions=[(name.replace("_", " "), level) for name, level in PERMISSIONS.items()],
            events=[name.replace("_", " ") for name in EVENTS],
            webhook=f"{wish.url}/webhook",
            owner=wish.organization or "whoever creates it",
        )

    async def returns(self, request: web.Request) -> web.StreamResponse:
        """GitHub sent the browser back: take the App's secrets, once."""
        async with self._one:
            state, code = request.query.get("state", ""), request.query.get("code", "")
            refusal = self.dialogue.returned(state, code)
            return refused(refusal) if refusal else await self._take(request, code)

    async def _take(self, request: web.Request, code: str) -> web.StreamResponse:
        try:
            app = await convert(self.session, self.wish.endpoint, code)
        except RetryableError as error:
            return refused(Refusal.GITHUB_AWAY, str(error))
        except UserError as error:
            self.dialogue.answered = True
            return await self._end(request, Refusal.CONVERSION_REFUSED, f"{error}. {AGAIN}")
        self.dialogue.answered = True
        try:
            command = await asyncio.to_thread(self.keeper.keep, app, self.wish)
        except UserError as error:
            remedy = f"delete it at {self._settings(app)}, and run recalibrate setup again"
            return await self._end(request, Refusal.NOT_KEPT, f"the App was made, not kept: {error}; {remedy}")
        last = page("done.html", app=app, kept=str(self.keeper), command=command)
        await _sent(request, last)
        self.ended.set_result(Done(app, command))
        return last

    def _settings(self, app: MadeApp) -> str:
        owner = f"/organizations/{self.wish.organization}" if self.wish.organization else ""
        return f"{self.wish.endpoint.web}{owner}/settings/apps/{app.slug}/advanced"

    async def _end(self, request: web.Request, refusal: Refusal, told: str) -> web.StreamResponse:
        last = refused(refusal)
        await _sent(request, last)
        if not self.ended.done():
            self.ended.set_exception(UserError(told))
        return last


async def _sent(request: web.Request, last: web.Response) -> None:
    """The last page goes out before the end begins; a browser that went away holds nothing up."""
    with suppress(ConnectionError):
        await last.prepare(request)
        await last.write_eof()
