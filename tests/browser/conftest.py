"""One browser and one service for the tests of a module; they skip where there is no browser.

Not for longer: while playwright runs, its loop is this thread's, and no other test could `asyncio.run` anything.

RECALIBRATE_BROWSER=required, as continuous integration sets it, makes the missing browser a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import executable, launched
from tests.browser.scene import Scene, scene


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = executable()
    if not path and os.environ.get("RECALIBRATE_BROWSER") == "required":
        pytest.fail("no browser: RECALIBRATE_BROWSER=required, and neither $CHROMIUM nor chromium on PATH is there")
    if not path:
        pytest.skip("no browser: install chromium, or name one in $CHROMIUM; the pages were not looked at")
    with launched(path) as running:
        yield running


@pytest.fixture(scope="module")
def seen(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with scene(tmp_path_factory.mktemp("pages"), browser) as made:
        yield made
