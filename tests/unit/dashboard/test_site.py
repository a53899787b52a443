"""Promises of the pages over HTTP: the list goes on behind an id that nobody is told; each answer is counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.dashboard import home
from bot.dashboard.ports import UnderWay
from bot.dashboard.session import Seal, Session
from bot.dashboard.site import PREFIX, Site
from bot.dashboard.threads import PageThreads
from bot.domain import RepositoryId
from bot.metrics.counts import Counts
from bot.page_settings import PageSettings
from bot.records.repositories import Repository
from bot.store.open import Store
from tests.unit.dashboard.asked_github import GitHub
from tests.unit.metrics.scraped import samples

KEY = bytes(range(32))
SETTINGS = PageSettings("Iv23abc", "planted", "http://127.0.0.1:8080", KEY)
FIRST = 700_000_001


@dataclass(frozen=True)
class Idle:
    """A queue without tasks."""

    async def under_way(self) -> Sequence[UnderWay]:
        return ()


def walk(store: Store, github: GitHub, addresses: Sequence[str], counts: Counts | None = None) -> list[str]:
    """The pages at these addresses, and at each one's "More" as long as there is one."""
    counted = (counts or Counts()).page

    async def walking() -> list[str]:
        threads = PageThreads()
        site = Site(SETTINGS, store, github, Idle(), threads, "https://git.zoo", counted)
        routes = web.Application()
        routes.add_subapp(PREFIX, site.application())
        cookies = {"recalibrate-session": Seal(KEY).close(Session(number=1, login="mona", token="m"))}
        found: list[str] = []
        async with TestClient(TestServer(routes), cookies=cookies) as browser:
            for address in addresses:
                at = address
                while at:
                    found.append(await (await browser.get(at)).text())
                    more = re.search(r'rel="next" href="([^"]+)"', found[-1])
                    at = more.group(1) if more else ""
        threads.close()
        return found

    return asyncio.run(walking())


def names(page: str) -> list[str]:
    return re.findall(r">(octo/r[0-9]+)<", page)


def test_the_list_goes_on_where_it_ended_and_tells_no_id_of_what_it_passed_over(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}")
    every = [RepositoryId(FIRST + number) for number in range(home.MOST + 2)]
    for number in every:
        store.repositories.save(Repository(number, f"octo/r{number}", 1))
    readers = {"m": set(every) - {every[0]}}
    first, second, *from_the_start = walk(store, GitHub(readers), ["/pages", f"/pages?after={every[-1]}"])
    store.close()
    assert names(first) + names(second) == [f"octo/r{number}" for number in every[1:]]
    assert names(from_the_start[0]) == names(first)
    (link,) = re.findall(r'rel="next" href="([^"]+)"', first)
    assert not any(str(number) in link for number in every)


def test_answers_are_counted_by_page_and_never_by_what_a_visitor_typed(tmp_path: Path) -> None:
    store, counts = Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}"), Counts()
    typed = [
        "/pages",
        "/pages/r/77",
        "/pages/r/78/test?path=zebra",
        "/pages/zebra",
        "/pages/r/zebra",
        "/pages/operator",
    ]
    walk(store, GitHub(), typed, counts)
    store.close()
    assert {name: value for name, value in samples(counts.registry).items() if "pages" in name} == {
        'recalibrate_pages_total{page="repositories",status="200"}': 1,
        'recalibrate_pages_total{page="repository",status="404"}': 1,
        'recalibrate_pages_total{page="test",status="404"}': 1,
        'recalibrate_pages_total{page="operator",status="404"}': 1,
        'recalibrate_pages_total{page="none",status="404"}': 2,
    }
