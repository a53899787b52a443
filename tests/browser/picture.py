"""Takes the README's picture: `python -m tests.browser.picture docs/images/pull-request.png`.

The demo itself runs, so what is seen is what the service published; only the page around it is the local GitHub's.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence

from playwright.async_api import async_playwright

from bot.cli.demo import demo
from tests.browser.chromium import FLAGS, executable

WIDE, HIGH = 1160, 1180
PATIENCE_S = 300.0
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S+/pull/\d+")


async def photograph(to: str) -> None:
    """Run the demo until its pull request is there, and keep the top of its page."""
    found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def say(line: str) -> None:
        address = ADDRESS.search(line)
        if address and not found.done():
            found.set_result(address[0])

    running = asyncio.create_task(demo({}, say))
    try:
        await asyncio.wait({running, found}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        async with async_playwright() as play:
            browser = await play.chromium.launch(executable_path=executable(), args=list(FLAGS))
            page = await browser.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
            await page.goto(found.result())
            await page.screenshot(path=to)
            await browser.close()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def main(arguments: Sequence[str]) -> int:
    """Gives the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.browser.picture FILE.png\n")
        return 2
    asyncio.run(photograph(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
