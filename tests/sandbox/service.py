"""The service and the local GitHub on one loop in a thread: what the tests of the whole road hold in their hands.

A `Rig` is one running service over one world; `case` gives it a repository with an installation of
its own, so that tests of one rig do not see one another. Every exchange is held to GitHub's schema.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from aiohttp import web

from bot.app import Service, service
from bot.cli.trying import pages_at
from bot.domain import RepositoryId, RunEvidence, RunId, TaskRequest
from bot.sandbox import auth, events, scenario
from bot.sandbox.generator import Generated
from bot.sandbox.people import Contributor
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import AccountKind, App
from bot.sandbox.state.issues import Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.threaded import ThreadedSandbox
from bot.sandbox.traffic import CallRecord, Delivery, Exchange
from bot.settings import Settings
from bot.store.open import Store
from bot.tasks.parking import take_up
from bot.tasks.stepping import Patience
from tests.sandbox.github_schema import Watcher

SECRET = "planted-webhook-secret-5a17"
ROLLING, EVIDENCE = "refs/heads/recalibrate/main", "refs/heads/recalibrate/evidence"
CONFIG = "version: 1\nnightly:\n  workflows: [.github/workflows/nightly.yml]\n"
HASTY = Patience(first_s=0.02, empty_log_s=0.3, longest_s=0.3, tries=6)


@dataclass(frozen=True)
class Ended:
    """How a task ended."""

    outcome: str
    detail: str


@dataclass
class Rig:
    """One service, which may be stopped and started again, and the local GitHub it works against."""

    sandbox: ThreadedSandbox
    app: App
    settings: Settings
    watcher: Watcher
    running: Service | None = None
    listener: socket.socket | None = None  # a port that was taken before the settings were made
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def world(self) -> World:
        return self.sandbox.world

    @property
    def store(self) -> Store:
        assert self.running
        return self.running.store

    def start(self) -> None:
        self.sandbox.run(self._start())

    async def _start(self) -> None:
        # a service that ends closes the loop's pool (see `DurableQueue.stop`); the next one begins with its own
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        self._stack = AsyncExitStack()
        self.running = await self._stack.enter_async_context(service(self.settings, HASTY))
        runner = web.AppRunner(self.running.web, access_log=None)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.SockSite(runner, self.listener) if self.listener else web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.app.webhook_url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"

    def stop(self) -> None:
        self.running = None
        self.sandbox.run(self._stack.aclose())

    def take_up(self, after: timedelta = timedelta(days=1)) -> int:
        """What a worker does every minute, so much later: ask for the parked tasks that are due by then; how many."""
        assert self.running
        now = datetime.now(UTC) + after
        return self.sandbox.run(take_up(self.store.parked, self.running.queue.enqueue, now))

    def ask(self, request: TaskRequest) -> None:
        """Have a task done that no webhook asks for."""
        assert self.running
        self.sandbox.run(self.running.queue.enqueue(request))

    def case(self, source: Path, name: str) -> Case:
        """A repository copied from `source` under an owner of its own, on which the App is installed."""
        repo = scenario.add_repository(self.world, source, f"{name}-lab/heron")
        owner = self.world.account(f"{name}-lab", AccountKind.ORGANIZATION)
        return Case(self, repo, auth.install(self.world, self.app, owner))

    def started(self, made: Generated, name: str) -> tuple[Case, list[int]]:
        """The generated repository with its nights on GitHub, nothing delivered yet; the run ids."""
        case = self.case(made.repository, name)
        return case, case.add_runs(*(run.directory for run in made.runs))


@dataclass
class Case:
    """One repository of one installation."""

    rig: Rig
    repo: Repo
    installation: Installation

    @property
    def store(self) -> Store:
        return self.rig.store

    @property
    def repository_id(self) -> RepositoryId:
        return RepositoryId(self.repo.id)

    # ------------------------------------------------------------------ what GitHub does

    def add_runs(self, *directories: Path) -> list[int]:
        return [scenario.add_run(self.rig.world, self.repo, directory) for directory in directories]

    def completed(self, run: int, attempt: int = 1) -> dict[str, Any]:
        """The payload of `workflow_run: completed`."""
        return events.workflow_run(self.rig.world, self.repo, run, attempt)

    def send(self, payload: dict[str, Any], guid: str = "") -> Delivery:
        return self.rig.sandbox.deliver("workflow_run", payload, guid)

    def deliver(self, run: int, attempt: int = 1, guid: str = "") -> Delivery:
        return self.send(self.completed(run, attempt), guid)

    def key(self, run: int, attempt: int = 1) -> str:
        return f"nightly:{self.repo.id}:{run}:{attempt}"

    def ended(self, run: int, attempt: int = 1, again: int = 0) -> Ended:
        """Wait for the end of the task of a run attempt, or of a later take of it."""
        return self.ended_by(self.key(run, attempt), again)

    def ended_by(self, key: str, again: int = 0) -> Ended:
        """The same for any task, by its key."""
        assert self.rig.running
        found = self.rig.sandbox.run(self.rig.running.queue.result(f"{key}:again{again}" if again else key))
        result = cast("dict[str, str]", found)
        stored = self.store.outcomes.find(key)
        assert stored
        assert (stored.name, stored.detail) == (result["outcome"], result["detail"])
        return Ended(result["outcome"], result["detail"])

    def nightly(self, run: int, attempt: int = 1, guid: str = "") -> Ended:
        """Deliver a completed nightly and wait for the end of its task."""
        delivery = self.deliver(run, attempt, guid)
        assert delivery.status_code == 202, delivery.response
        return self.ended(run, attempt)

    def again(self, run: int) -> str:
        """Deliver the next attempt of a run, a copy of the first; how its task ended."""
        attempts = self.repo.runs[run]
        number = max(attempts) + 1
        attempts[number] = type(attempts[1])({**attempts[1].run, "run_attempt": number}, attempts[1].jobs)
        return self.nightly(run, number).outcome

    def configure(self, text: str) -> str:
        """A person commits the configuration to the base; the base's new tip."""
        return self.person().commit("main", {".github/recalibrate.yml": text.encode()})

    def person(self, login: str = "mona") -> Contributor:
        self.repo.roles[login] = "write"
        return Contributor(self.rig.world, self.repo, self.rig.world.account(login))

    def revoke_tokens(self) -> None:
        """The tokens of this installation that were given out are no good any more."""
        tokens = self.rig.world.tokens
        for secret in [secret for secret, one in tokens.items() if one.installation is self.installation]:
            del tokens[secret]

    # ------------------------------------------------------------------ what there is to see

    @property
    def pulls(self) -> list[Issue]:
        return self.repo.pulls()

    @property
    def pull(self) -> Issue:
        """The only pull request."""
        (only,) = self.pulls
        return only

    @property
    def issues(self) -> list[Issue]:
        """Issues that are no pull requests."""
        return [issue for issue in self.repo.issues.values() if issue.pull is None]

    def tip(self, ref: str = ROLLING) -> str | None:
        return self.repo.git.ref(ref)

    def git(self, *arguments: str) -> str:
        return self.repo.git.run(*arguments).decode()

    def file(self, commit: str, path: str) -> bytes:
        return self.repo.git.run("cat-file", "blob", f"{commit}:{path}")

    def changed(self, commit: str) -> list[tuple[str, str]]:
        """The lines that a commit takes away and adds, in order."""
        diff = self.git("diff", "--unified=0", "--no-color", f"{commit}^", commit).split("\n")
        return [(line[0], line[1:]) for line in diff if line[:1] in ("-", "+") and not line.startswith(("---", "+++"))]

    def evidence(self, run: int) -> list[RunEvidence]:
        return list(self.store.runs.find(self.repository_id, RunId(run)))

    def since(self, mark: int) -> list[CallRecord]:
        """The requests after a mark (`len(world.journal)`) that were about this repository or its tokens."""
        return self.rig.world.journal[mark:]

    def calls(self, mark: int = 0) -> Counter[str]:
        return Counter(f"{record.method} {record.route}" for record in self.since(mark))

    def seen(self) -> dict[str, str]:
        """Every branch, and every pull request and issue with its text: what must not change by a repetition."""
        refs = dict(self.repo.git.refs("refs/heads/"))
        texts = {f"#{n}": f"{it.state} {it.title} {it.updated_at} {it.body}" for n, it in self.repo.issues.items()}
        return refs | texts | {f"c{n}": it.body for n, it in self.repo.comments.items()}


def settings_of(access: scenario.AppAccess, url: str, directory: Path) -> Settings:
    """What the service is started with: this App on the local GitHub at `url`, its files below `directory`."""
    return Settings(
        github_url=url,
        app_id=access.app.id,
        private_key=access.private_pem.decode(),
        webhook_secret=access.app.webhook_secret,
        database_url=f"sqlite:///{directory / 'store.sqlite'}",
        queue_url=f"sqlite:///{directory / 'queue.sqlite'}",
        work_dir=directory / "work",
        host="127.0.0.1",
        port=0,
        executor_id="tests",
        workers=4,
    )


@contextmanager
def rig(
    directory: Path, listener: socket.socket | None = None, prepared: Callable[[Rig], None] = lambda _: None
) -> Iterator[Rig]:
    """A running rig, `prepared` before its start; at its end nothing that was said may be outside GitHub's schema.

    With `listener` it has pages.
    """
    world, watcher = scenario.new_world(directory / "world"), Watcher()
    world.watchers.append(watcher)
    access = scenario.add_app(world, "tools")
    access.app.webhook_secret = SECRET
    with ThreadedSandbox(world) as sandbox:
        settings = settings_of(access, sandbox.urls.api, directory)
        made = Rig(sandbox, access.app, settings, watcher, listener=listener)
        if listener is not None:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            made.settings = replace(settings, pages=pages_at(url, access.app, world.account("olga").id))
        prepared(made)
        made.start()
        try:
            yield made
        finally:
            if made.running:
                made.stop()
    assert watcher.found == []


@contextmanager
def watched(world: World, watcher: Callable[[Exchange], None]) -> Iterator[None]:
    """Have something happen on GitHub's side at some exchange."""
    world.watchers.append(watcher)
    try:
        yield
    finally:
        world.watchers.remove(watcher)


class Lines(logging.Handler):
    """Every log line of the process with all that it carries, as text."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{self.format(record)} {vars(record)}")


@contextmanager
def every_line() -> Iterator[Lines]:
    """What the process logs meanwhile, whoever writes it."""
    root, handler = logging.getLogger(), Lines()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield handler
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
