"""A service with pages over invented nights and one hostile neighbour, and a visitor who has signed in."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, StorageState, ViewportSize

from bot.dashboard import addresses
from bot.domain import JobEvidence, RepositoryId, RunEvidence, RunId, Suite, TaskKind, TestPath
from bot.records.work import TaskOutcome
from bot.sandbox import auth, scenario
from bot.sandbox.state.accounts import AccountKind
from bot.store.open import Store
from tests.pages.made_store import FIRST, REPOSITORY, Size, fill, key
from tests.sandbox.page_visit import page_rig
from tests.sandbox.service import Rig

Scheme = Literal["light", "dark"]
SIZE = Size(files=10, nights=18, ranks=3, evaluations=3)
WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 360, "height": 740}
HOSTILE = TestPath("tests/<img src=x onerror=alert(1)>/\u202etxt.exe\x1b[31m'\"&`|](http://evil.invalid).py")
HOSTILE_SUITE = Suite("</script><svg onload=alert(1)> \u2066suite")
HOST = RepositoryId(8)
FIRST_RUN = RunId(9_100_000)  # of the invented nights
_STATUS = re.compile(r"Failed to load resource: the server responded with a status of 40[14] ")


@dataclass(frozen=True)
class Scene:
    """The running service, a browser, and the cookies of a visitor who is an operator."""

    rig: Rig
    browser: Browser
    signed_in: StorageState

    @property
    def url(self) -> str:
        assert self.rig.settings.pages
        return self.rig.settings.pages.url

    @contextmanager
    def page(self, scheme: Scheme = "light", size: ViewportSize = WIDE, *, known: bool = True) -> Iterator[Page]:
        """A page of a browser window. Whatever its console says fails: a refused style or script shows there."""
        said: list[str] = []
        context = self.browser.new_context(
            base_url=self.url,
            color_scheme=scheme,
            viewport=size,
            storage_state=self.signed_in if known else None,
            reduced_motion="reduce",
        )
        try:
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            yield page
        finally:
            context.close()
        assert [text for text in said if not _STATUS.match(text)] == []


def paths(size: Size = SIZE) -> dict[str, str]:
    """Every page by a short name."""
    one, here = key(0), REPOSITORY.repository_id
    newest = FIRST_RUN + size.nights - 1
    job = {"run": newest, "attempt": 1, "job": newest * 100}
    hostile = {"path": HOSTILE, "backend": "cuda", "suite": HOSTILE_SUITE}
    return {
        "repositories": addresses.HOME,
        "repository": addresses.repository(here),
        "test": addresses.test(here, one),
        "log": f"/pages/r/{here}/log?{urlencode(job)}",
        "operator": addresses.OPERATOR,
        "hostile-repository": addresses.repository(HOST),
        "hostile-test": f"/pages/r/{HOST}/test?{urlencode(hostile)}",
        "not-found": "/pages/r/404",
        "signed-out": addresses.SIGNED_OUT,
    }


@contextmanager
def scene(directory: Path, browser: Browser, size: Size = SIZE) -> Iterator[Scene]:
    """The service with everything on it, and `olga` signed in."""
    with page_rig(directory) as rig:
        for login in ("mona", "olga"):
            rig.world.account(login)
        _on_github(rig, directory)
        fill(rig.store, size)
        _hostile(rig.store)
        made = Scene(rig, browser, {"cookies": [], "origins": []})
        yield replace(made, signed_in=_sign_in(made))


def _sign_in(made: Scene) -> StorageState:
    with made.page(known=False) as page:
        page.goto("/pages")
        page.get_by_role("link", name="Sign in with GitHub").click()
        page.get_by_role("link", name="as olga").click()
        page.wait_for_url("**/pages")
        return page.context.storage_state()


def _on_github(rig: Rig, directory: Path) -> None:
    """Both repositories as GitHub has them, with the ids under which the store knows them."""
    source = _source(directory / "source")
    for name, number in ((REPOSITORY.full_name, REPOSITORY.repository_id), ("zoo/hostile", HOST)):
        repo = scenario.add_repository(rig.world, source, name)
        repo.id = number
    auth.install(rig.world, rig.app, rig.world.account("zoo", AccountKind.ORGANIZATION))


def _source(path: Path) -> Path:
    path.mkdir()
    identity = ("-c", "user.name=Mona", "-c", "user.email=mona@example.invalid")
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", "-C", str(path), *identity, *words], check=True)
    return path


def _hostile(store: Store) -> None:
    """A neighbour whose names want to be something else."""
    store.repositories.save(replace(REPOSITORY, repository_id=HOST, full_name="zoo/hostile"))
    night = store.runs.find(REPOSITORY.repository_id, FIRST_RUN)[0]
    store.runs.record(HOST, _renamed(night))
    told = "<b onmouseover=alert(1)>bold</b> \u202e and \x1b[2J what follows"
    at = FIRST + timedelta(days=1)
    store.outcomes.record(TaskOutcome(f"nightly:{HOST}:1:1", HOST, TaskKind.NIGHTLY, "refused", at, detail=told))
    store.deliveries.note("11111111-2222-3333-4444-555555555555", "workflow_run", "<i>not_ours</i>")


def _renamed(night: RunEvidence) -> RunEvidence:
    def job(one: JobEvidence) -> JobEvidence:
        rows = tuple(replace(row, path=HOSTILE, suite=HOSTILE_SUITE) for row in one.rows[:1])
        return replace(one, rows=rows, plan=None)

    return replace(night, jobs=tuple(map(job, night.jobs[:1])))
