"""Renders the pages to files, to look at without the service: `python -m tests.pages OUT [--files N --nights N]`.

OUT/repository.html, test.html and log.html over invented nights (`made_store.py`), with the time that each took.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TypeVar

from bot.dashboard import addresses
from bot.dashboard.log_page import render_log
from bot.dashboard.reading import key_asked, key_view, log_view, repository_asked, repository_view
from bot.dashboard.repository_page import render_repository
from bot.dashboard.templates import Frame
from bot.dashboard.test_page import render_test
from bot.store.open import Store
from tests.pages.made_store import REPOSITORY, SERVER, Size, fill, key

FRAME = Frame(login="mona", sign_out_token="t")


def pages(store: Store) -> dict[str, Callable[[], str]]:
    """How each page is made."""
    one = key(0)
    asked = {"path": one.path, "backend": one.backend, "suite": one.suite}
    newest = store.judged.of_key(REPOSITORY.repository_id, *key_asked(asked)).rows[0].timing.row
    job = {"run": str(newest.run_id), "attempt": "1", "job": str(newest.job_id)}
    return {
        "repository": lambda: render_repository(
            repository_view(store, REPOSITORY, SERVER, repository_asked({})), FRAME
        ),
        "test": lambda: render_test(_there(key_view(store, REPOSITORY, SERVER, *key_asked(asked))), FRAME),
        "log": lambda: render_log(_there(log_view(store, REPOSITORY, SERVER, job)), FRAME),
    }


T = TypeVar("T")


def _there(found: T | None) -> T:
    assert found is not None
    return found


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    cli.add_argument("out", type=Path)
    cli.add_argument("--files", type=int, default=40)
    cli.add_argument("--nights", type=int, default=70)
    cli.add_argument("--evaluations", type=int, default=30)
    given = cli.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    style = resources.files("bot.dashboard") / "static" / "pages.css"
    (given.out / "pages.css").write_text(style.read_text(encoding="utf-8"), encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        store = Store.open(f"sqlite:///{scratch}/store.db")
        fill(store, Size(given.files, given.nights, evaluations=given.evaluations))
        for name, make in pages(store).items():
            began = time.perf_counter()
            text = make()
            sys.stdout.write(f"{name}: {time.perf_counter() - began:.3f} s, {len(text):,} characters\n")
            (given.out / f"{name}.html").write_text(text.replace(addresses.STYLE, "pages.css"), encoding="utf-8")
        store.close()


if __name__ == "__main__":
    main()
