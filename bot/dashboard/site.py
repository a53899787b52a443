"""The pages as one part of the service's routes, below `/pages`: what every answer has, what becomes of failures.

What a page shows, and to whom, is not decided here.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib import resources

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.dashboard import answers
from bot.dashboard.access import Access
from bot.dashboard.pages import Pages
from bot.dashboard.ports import Tasks, TokenEndedError, Visitors
from bot.dashboard.session import Seal
from bot.dashboard.sign_in import SignIn
from bot.dashboard.templates import Frame
from bot.dashboard.threads import PageThreads
from bot.dashboard.visit import Cookies, frame
from bot.errors import RetryableError
from bot.page_settings import PageSettings
from bot.store.open import Store

PREFIX = "/pages"
STYLE_S = 300  # how long a browser keeps the style

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """What the pages are made of."""

    settings: PageSettings
    store: Store
    visitors: Visitors
    tasks: Tasks
    threads: PageThreads
    server: str  # GitHub's web address

    def application(self) -> web.Application:
        """The routes, to be put below `PREFIX`."""
        cookies = Cookies(Seal(self.settings.key), self.settings.secure)
        access = Access(self.visitors)
        made = web.Application(middlewares=[_guard(self.settings, cookies)])
        SignIn(self.settings, cookies, self.visitors, access).add_to(made.router)
        pages = Pages(self.settings, cookies, self.store, self.tasks, access, self.threads, self.server)
        pages.add_to(made.router)
        made.router.add_get("/static/pages.css", _style())
        return made


def _guard(settings: PageSettings, cookies: Cookies) -> Middleware:
    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        around = frame(settings, cookies.session(request))
        try:
            answer = await handler(request)
        except TokenEndedError:
            answer = answers.sign_in_first(request.path_qs)
            cookies.sign_out(answer)
        except web.HTTPException as refusal:
            answer = _refused(refusal, around)
        except RetryableError:
            log.warning("page not made", exc_info=True)
            answer = answers.busy(around)
        except Exception:  # one page's bug is one page's answer
            log.exception("page failed")
            answer = answers.our_fault(around)
        for name, value in answers.HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    return guard


def _refused(refusal: web.HTTPException, around: Frame) -> web.Response:
    """What the router says no to, as a page."""
    if not isinstance(refusal, web.HTTPMethodNotAllowed):
        return answers.not_found(around)
    answer = answers.wrong_method(around)
    answer.headers["Allow"] = ", ".join(sorted(refusal.allowed_methods))
    return answer


def _style() -> Handler:
    text = (resources.files("bot.dashboard") / "static" / "pages.css").read_text(encoding="utf-8")

    async def style(_request: web.Request) -> web.Response:
        headers = {"Cache-Control": f"public, max-age={STYLE_S}"}
        return web.Response(text=text, content_type="text/css", charset="utf-8", headers=headers)

    return style
