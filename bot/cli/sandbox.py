"""`recalibrate sandbox SCENARIO`: a local GitHub by hand, for a service started beside it.

Prints what `recalibrate serve` needs to know, waits until it answers, delivers the scenario's runs
and stays up until it is interrupted.
"""

from __future__ import annotations

import asyncio
import base64
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from bot.cli.trying import pages_at
from bot.errors import UserError
from bot.page_settings import PREFIX as PAGES
from bot.page_settings import base_url
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox, Urls

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """The scenario file, where its webhooks go, and the port of the local GitHub (0: any)."""

    scenario: Path
    webhook: str
    port: int = 0


async def sandbox(options: SandboxOptions, say: Say) -> None:
    """Serve a scenario until interrupted.

    Raises:
        UserError: the scenario file, or something it names, is not as it should be.
    """
    parts = urlsplit(options.webhook)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(f"--webhook: {options.webhook}: not an address; give http://127.0.0.1:8080/webhook or the like")
    with tempfile.TemporaryDirectory(prefix="recalibrate-sandbox-") as folder:
        scenario = await asyncio.to_thread(load, options.scenario, Path(folder) / "github")
        scenario.access.app.webhook_url = options.webhook
        running = Sandbox(scenario.world)
        urls = await running.start(options.port)
        try:
            say(_instructions(scenario, urls, Path(folder)))
            await _answering(options.webhook)
            for planned in scenario.deliver:
                delivery = await running.complete_run(planned.run_id, planned.attempt)
                say(f"run {planned.run_id}, attempt {planned.attempt}: delivered, answered {delivery.status_code}")
            await asyncio.Event().wait()
        finally:
            await running.stop()


def _instructions(scenario: Scenario, urls: Urls, folder: Path) -> str:
    key = folder / "app-private-key.pem"
    key.touch(mode=0o600)
    key.write_bytes(scenario.access.private_pem)
    app = scenario.access.app
    settings = {
        "RECALIBRATE_GITHUB_URL": urls.api,
        "RECALIBRATE_APP_ID": str(app.id),
        "RECALIBRATE_PRIVATE_KEY_FILE": str(key),
        "RECALIBRATE_WEBHOOK_SECRET": app.webhook_secret,
        **_pages(scenario),
    }
    exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in settings.items())
    return f"A local GitHub is at {urls.html}. In another terminal:\n\n{exports}\nrecalibrate serve\n\nWaiting for it …"


def _pages(scenario: Scenario) -> Mapping[str, str]:
    """Settings of pages at the webhook's host; none where a browser could not sign in, or nobody is known."""
    app, people = scenario.access.app, [login for it in scenario.world.repos.values() for login in it.roles]
    parts = urlsplit(app.webhook_url)
    try:
        url = base_url(f"{parts.scheme}://{parts.netloc}", "--webhook")
    except UserError:
        return {}
    if not people:
        return {}
    operator = scenario.world.account(people[0]).id
    pages = pages_at(url, app, operator)
    return {
        f"{PAGES}URL": pages.url,
        f"{PAGES}CLIENT_ID": pages.client_id,
        f"{PAGES}CLIENT_SECRET": pages.client_secret,
        f"{PAGES}KEY": base64.b64encode(pages.key).decode(),
        f"{PAGES}OPERATORS": str(operator),
    }


async def _answering(webhook: str) -> None:
    """Wait until the service behind the webhook's address answers."""
    parts = urlsplit(webhook)
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"{parts.scheme}://{parts.netloc}/healthz") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.5)
