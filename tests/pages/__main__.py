"""Writes the pages to files, to look at without signing in: `python -m tests.pages OUT [--files N] [--nights N]`.

OUT/repository.html, test.html and log.html, over invented nights of any size (`made_store.py`) or, with `--demo`,
over generated nights that the service itself has worked on (`demo_store.py`); with the time that each page took.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path

from bot.dashboard import addresses
from bot.dashboard.log_page import render_log
from bot.dashboard.reading import key_asked, key_view, log_view, repository_asked, repository_view
from bot.dashboard.repository_page import render_repository
from bot.dashboard.templates import Frame
from bot.dashboard.test_page import render_test
from bot.overview import Span
from bot.store.open import Store
from tests.pages.demo_store import demo_store
from tests.pages.made_store import SERVER, Size, fill

FRAME = Frame(login="mona", sign_out_token="t")
NIGHTS_OF_DEMO = 6


def pages(store: Store) -> Mapping[str, Callable[[], str]]:
    """How each page of the store's repository is made; the test is its first one."""
    repository = store.repositories.every()[0]
    key = store.nights.tests(repository.repository_id, 1, "", Span(1)).items[0].key
    test = {"path": key.path, "backend": key.backend, "suite": key.suite}
    newest = store.judged.of_key(repository.repository_id, *key_asked(test)).rows[0].timing.row
    job = {"run": str(newest.run_id), "attempt": str(newest.attempt), "job": str(newest.job_id)}

    def one_test() -> str:
        view = key_view(store, repository, SERVER, *key_asked(test))
        assert view is not None
        return render_test(view, FRAME)

    def one_log() -> str:
        view = log_view(store, repository, SERVER, job)
        assert view is not None
        return render_log(view, FRAME)

    def whole() -> str:
        return render_repository(repository_view(store, repository, SERVER, repository_asked({})), FRAME)

    return {"repository": whole, "test": one_test, "log": one_log}


def write(store: Store, out: Path) -> None:
    """Every page and the style beside them."""
    out.mkdir(parents=True, exist_ok=True)
    style = resources.files("bot.dashboard") / "static" / "pages.css"
    (out / "pages.css").write_text(style.read_text(encoding="utf-8"), encoding="utf-8")
    for name, make in pages(store).items():
        began = time.perf_counter()
        text = make()
        sys.stdout.write(f"{name}: {time.perf_counter() - began:.3f} s, {len(text):,} characters\n")
        (out / f"{name}.html").write_text(text.replace(addresses.STYLE, "pages.css"), encoding="utf-8")


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    cli.add_argument("out", type=Path)
    cli.add_argument("--demo", action="store_true", help="generated nights, worked on by the service")
    for name, default in (("files", 40), ("nights", 70), ("evaluations", 30)):
        cli.add_argument(f"--{name}", type=int, default=default)
    given = cli.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.demo:
            store = demo_store(Path(scratch), NIGHTS_OF_DEMO)
        else:
            store = Store.open(f"sqlite:///{scratch}/store.db")
            fill(store, Size(given.files, given.nights, evaluations=given.evaluations))
        write(store, given.out)
        store.close()


if __name__ == "__main__":
    main()
