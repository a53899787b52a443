"""Screenshots of every page, in light and in dark: `python -m tests.browser OUT [NAME …]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.browser.chromium import executable, launched
from tests.browser.scene import Scheme, paths, scene
from tests.pages.made_store import Size

SIZE = Size(files=24, nights=40, ranks=4, evaluations=30)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def main(out: Path, names: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        launched(executable()) as browser,
        scene(Path(scratch), browser, SIZE) as made,
    ):
        for name, path in paths(SIZE).items():
            for scheme in SCHEMES if not names or name in names else ():
                with made.page(scheme) as page:
                    page.goto(path)
                    page.screenshot(path=out / f"{name}-{scheme}.png", full_page=not names)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not executable():
        sys.exit(f"{__doc__} It needs chromium, by $CHROMIUM or on PATH.")
    main(Path(sys.argv[1]), sys.argv[2:])
