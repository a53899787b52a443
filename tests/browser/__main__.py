"""Screenshots of the pages: `python -m tests.browser OUT` for all of each in light and in dark.

`python -m tests.browser docs/images test-light` for what a window shows of one, as the manual has it.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize

from tests.browser.chromium import executable, launched
from tests.browser.scene import Scheme, paths, scene
from tests.pages.made_store import Size

SIZE = Size(files=24, nights=40, ranks=4, evaluations=30)
TALL: ViewportSize = {"width": 1180, "height": 1120}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def main(out: Path, names: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        launched(executable()) as browser,
        scene(Path(scratch), browser, SIZE) as made,
    ):
        for (name, path), scheme in itertools.product(paths(SIZE).items(), SCHEMES):
            if names and f"{name}-{scheme}" not in names:
                continue
            with made.page(scheme, TALL) as page:
                page.goto(path)
                page.screenshot(path=out / f"{name}-{scheme}.png", full_page=not names)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not executable():
        sys.exit(f"{__doc__} It needs chromium, by $CHROMIUM or on PATH.")
    main(Path(sys.argv[1]), sys.argv[2:])
