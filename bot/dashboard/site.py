"""The pages as one part of the service's routes, below `/pages`: what every answer has, what becomes of failures.

What a page shows, and to whom, is not decided here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
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

UNNAMED = "none"  # an address that is no page

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
    counted: Callable[[str, int], None]  # told of each answer: the page's name of a few, and the HTTP status

    def application(self) -> web.Application:
        """The routes, to be put below `PREFIX`."""
        cookies = Cookies(Seal(self.settings.key), self.settings.secure)
        access = Access(self.visitors)
        made = web.Application(middlewares=[self._guard(cookies)])
        SignIn(self.settings, cookies, self.visitors, access).add_to(made.router)
        pages = Pages(self.settings, cookies, self.store, self.tasks, access, self.threads, self.server)
        pages.add_to(made.router)
        made.router.add_get("/static/pages.css", _style(), name="style")
        return made

    def _guard(self, cookies: Cookies) -> Middleware:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            around = frame(self.settings, cookies.session(request))
            answer = await _answered(request, handler, cookies, around)
            for name, value in answers.HEADERS.items():
                answer.headers.setdefault(name, value)
            self.counted(request.match_info.route.name or UNNAMED, answer.status)
            return answer

        return guard


async def _answered(request: web.Request, handler: Handler, cookies: Cookies, around: Frame) -> web.StreamResponse:
    """The handler's answer, or what a page says of its failure."""
    try:
        return await handler(request)
    except TokenEndedError:
        answer = answers.sign_in_first(request.path_qs)
        cookies.sign_out(answer)
        return answer
    except web.HTTPException as refusal:
        return _refused(refusal, around)
    except RetryableError:
        log.warning("page not made", exc_info=True)
        return answers.busy(around)
    except Exception:  # one page's bug is one page's answer
        log.exception("page failed")
        return answers.our_fault(around)


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
