"""The pages behind the sign-in: each asks GitHub first whether this visitor may see it, then reads and renders.

What a page shows is in its own module; this one only lets in and answers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from bot.dashboard import addresses, answers, evidence, home, of_repository, operator_page
from bot.dashboard.access import Access
from bot.dashboard.numbers import MOST_DIGITS, whole_number
from bot.dashboard.of_repository import Asked, Page
from bot.dashboard.ports import Tasks
from bot.dashboard.session import SESSION_S, Further, Session
from bot.dashboard.templates import Frame
from bot.dashboard.threads import PageThreads
from bot.dashboard.visit import Cookies, frame, is_operator
from bot.domain import RepositoryId, RunId
from bot.page_settings import PageSettings
from bot.records.repositories import Repository
from bot.store.open import Store

_REPOSITORY = f"/r/{{repository:[0-9]{{1,{MOST_DIGITS}}}}}"

Handler = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class Pages:
    """Everything that only signed-in visitors see. `server` is GitHub's web address, for links."""

    settings: PageSettings
    cookies: Cookies
    store: Store
    tasks: Tasks
    access: Access
    threads: PageThreads
    server: str

    def add_to(self, routes: web.UrlDispatcher) -> None:
        """Where they are, below `/pages`."""
        routes.add_get("", self._for_visitors(self.home), name="repositories")
        routes.add_get("/operator", self._for_visitors(self.operator), name="operator")
        routes.add_get(f"{_REPOSITORY}/evidence.csv", self._for_visitors(self.evidence), name="evidence")
        for rest, page in of_repository.PAGES.items():
            name = rest.strip("/") or "repository"
            routes.add_get(f"{_REPOSITORY}{rest}", self._for_visitors(self._one(page)), name=name)

    async def home(self, request: web.Request, session: Session) -> web.Response:
        """The repositories that the visitor may see."""
        seal = self.cookies.seal
        asked = seal.open(Further, request.query.get("after"), SESSION_S)
        after = RepositoryId(asked.after if asked else 0)
        candidates = await self.threads.run(lambda: home.candidates(self.store, after))
        readable = await self.access.readable(session, candidates, home.MOST)
        place = seal.close(Further(after=readable.after)) if readable.after else ""
        further = addresses.part(addresses.HOME, {"after": place}, "") if place else ""

        def page() -> str:
            return home.page(self._frame(session), home.rows(self.store, readable.repositories), further)

        return answers.html(await self.threads.run(page))

    async def operator(self, request: web.Request, session: Session) -> web.Response:
        """Deliveries and tasks; for anybody but an operator, by GitHub's word and now, there is no such page."""
        if not is_operator(self.settings, await self.access.number(session)):
            return answers.not_found(self._frame(session))
        asked = operator_page.Asked.of(request.query)
        under_way = await self.tasks.under_way()

        def page() -> str:
            view = operator_page.read(self.store, asked)
            return operator_page.page(self._frame(session), asked, view, under_way)

        return answers.html(await self.threads.run(page))

    async def evidence(self, request: web.Request, session: Session) -> web.Response:
        """The table of one attempt's evaluation, to download."""
        found = await self._readable(request, session)
        run_id, attempt = whole_number(request.query.get("run", "")), whole_number(request.query.get("attempt", ""))
        if found is None or not run_id or not attempt:
            return answers.not_found(self._frame(session))
        number = found.repository_id
        table = await self.threads.run(lambda: evidence.read(self.store, number, RunId(run_id), attempt))
        if table is None:
            return answers.not_found(self._frame(session))
        name = f"evidence-{run_id}-{attempt}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=table, content_type="text/csv", charset="utf-8", headers=headers)

    def _one(self, page: Page) -> Callable[[web.Request, Session], Awaitable[web.Response]]:
        """One page of one repository."""

        async def handle(request: web.Request, session: Session) -> web.Response:
            found = await self._readable(request, session)
            if found is None:
                return answers.not_found(self._frame(session))
            asked = Asked(self.store, self.server, found, dict(request.query), self._frame(session))
            text = await self.threads.run(lambda: page(asked))
            return answers.not_found(asked.frame) if text is None else answers.html(text)

        return handle

    async def _readable(self, request: web.Request, session: Session) -> Repository | None:
        """The repository of the address, where the visitor may see it."""
        number = RepositoryId(int(request.match_info["repository"]))
        found = await self.threads.run(lambda: self.store.repositories.find(number))
        return found if await self.access.may_read(session, number, found) else None

    def _for_visitors(self, handle: Callable[[web.Request, Session], Awaitable[web.Response]]) -> Handler:
        async def let_in(request: web.Request) -> web.Response:
            session = self.cookies.session(request)
            return await handle(request, session) if session else answers.sign_in_first(request.path_qs)

        return let_in

    def _frame(self, session: Session) -> Frame:
        return frame(self.settings, session)
