"""The set-up in a real browser: by keys alone from the code to the last page, which stands on its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from bot.forge.endpoint import Endpoint
from bot.sandbox import scenario
from bot.sandbox.state.accounts import AccountKind
from bot.sandbox.threaded import ThreadedSandbox
from bot.setup.keeping import Folder
from bot.setup.server import Done, Place, set_up
from bot.setup.wish import Wish
from tests.browser.scene import NARROW
from tests.browser.test_pages_by_key import tab_to
from tests.browser.test_pages_seen import TOO_WIDE, violations


@dataclass(frozen=True)
class Running:
    """A set-up on the sandbox's loop."""

    task: asyncio.Task[Done]
    address: str
    code: str


async def started(wish: Wish, folder: Path) -> Running:
    invited: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
    place = Place(total_s=120)
    task = asyncio.ensure_future(
        set_up(wish, Folder(folder), place, lambda address, code: invited.set_result((address, code)))
    )
    return Running(task, *await invited)


async def ended(running: Running) -> Done:
    return await asyncio.wait_for(running.task, 30)


def looks_well(page: Page) -> None:
    """In both schemes, on a telephone, and without a script."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # a literal of playwright's
        assert violations(page) == []
    assert page.evaluate(TOO_WIDE) <= 0
    assert page.evaluate("document.scripts.length") == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.top')).display") == "flex"  # the style is let in


def test_by_keys_alone_from_the_code_to_the_last_page(browser: Browser, tmp_path: Path) -> None:
    world = scenario.new_world(tmp_path / "world")
    world.account("zoo", AccountKind.ORGANIZATION)
    with ThreadedSandbox(world) as sandbox, browser.new_context(viewport=NARROW) as context:
        wish = Wish(Endpoint.of(sandbox.urls.html), "https://recalibrate.zoo", "zoo")
        running = sandbox.run(started(wish, tmp_path / "app"))
        page = context.new_page()
        page.goto(running.address)
        looks_well(page)
        assert page.evaluate("document.activeElement.labels[0].textContent") == "Code"
        page.keyboard.type(running.code.lower())
        page.keyboard.press("Enter")
        page.wait_for_selector("table")
        looks_well(page)
        tab_to(page, "Go to 127.0.0.1")
        page.keyboard.press("Enter")
        page.wait_for_url("**/organizations/zoo/settings/apps/new?**")
        tab_to(page, "Create GitHub App")
        page.keyboard.press("Enter")
        page.wait_for_url("**/created?**")
        done = sandbox.run(ended(running))
        looks_well(page)  # though nobody serves it any more
        assert done.command in page.inner_text("main")
        tab_to(page, "Install recalibrate-zoo")
        page.keyboard.press("Enter")
        page.wait_for_url("**/apps/recalibrate-zoo/installations/new")
