"""`recalibrate demo`: the whole thing on one machine, in front of a person.

A small repository and two nights of logs are written, a local GitHub serves them, the service is
started and gets the signed webhooks; what it publishes is printed, and stays up beside the service's
own pages. No credentials, nothing outside loopback.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.app import Service, service
from bot.cli.trying import pages_at
from bot.dashboard import addresses
from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.publish.names import EVIDENCE_BRANCH, rolling_branch
from bot.sandbox.generator.generate import generate
from bot.sandbox.generator.story import MAINTAINER
from bot.sandbox.git_store import GitStore
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox, Urls
from bot.sandbox.state.repo import Repo
from bot.settings import Settings

SHOWN_ROWS = 6
PATIENCE_S = 120.0
LOOPBACK = "127.0.0.1"
_FOLDED = re.compile(r"<details><summary>([^<]*)</summary>.*?</details>\n?", re.DOTALL)
_MARKER = re.compile(r"<!--[^<>]*-->\n?")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """The running demo: the local GitHub, its only repository, and the service beside it with its pages."""

    scenario: Scenario
    sandbox: Sandbox
    urls: Urls
    service: Service
    pages: str

    @property
    def repository(self) -> Repo:
        """The only repository."""
        return next(iter(self.scenario.world.repos.values()))


async def demo(environment: Mapping[str, str], say: Say) -> None:
    """Run the demo; wait for an interrupt at the end unless DEMO_EXIT is 1."""
    with tempfile.TemporaryDirectory(prefix="recalibrate-demo-") as folder:
        say("writing a repository and two nights of logs")
        generate(Path(folder) / "made")
        async with stage(Path(folder) / "made" / "scenario.json", Path(folder)) as running:
            say(f"a local GitHub is at {running.urls.html}, the service beside it\n")
            for planned in running.scenario.deliver:
                say(await _night(running, RunId(planned.run_id), planned.attempt))
            _show(running, say)
            if environment.get("DEMO_EXIT") == "1":
                say("They go with the demo, which ends here. Without DEMO_EXIT=1 it stays.")
                return
            say("They are there until Ctrl-C.")
            await asyncio.Event().wait()


@asynccontextmanager
async def stage(scenario_file: Path, folder: Path) -> AsyncIterator[Stage]:
    """The local GitHub over a scenario, and the service that listens to it."""
    _no_proxy_for_loopback(os.environ)
    scenario = await asyncio.to_thread(load, scenario_file, folder / "github")
    sandbox = Sandbox(scenario.world)
    urls = await sandbox.start()
    try:
        with socket.create_server((LOOPBACK, 0)) as listener:
            address = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
            scenario.access.app.webhook_url = f"{address}/webhook"
            async with service(_settings(scenario, urls, folder, address)) as running, _answering(running, listener):
                yield Stage(scenario, sandbox, urls, running, address + addresses.HOME)
    finally:
        await sandbox.stop()


@asynccontextmanager
async def _answering(running: Service, listener: socket.socket) -> AsyncIterator[None]:
    runner = web.AppRunner(running.web, access_log=None)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        yield
    finally:
        await runner.cleanup()


def _settings(scenario: Scenario, urls: Urls, folder: Path, address: str) -> Settings:
    app = scenario.access.app
    return Settings(
        github_url=urls.api,
        app_id=app.id,
        private_key=scenario.access.private_pem.decode(),
        webhook_secret=app.webhook_secret,
        database_url=f"sqlite:///{folder / 'recalibrate.sqlite'}",
        queue_url=f"sqlite:///{folder / 'queue.sqlite'}",
        work_dir=folder / "work",
        host=LOOPBACK,
        port=0,
        executor_id="demo",
        workers=2,
        pages=pages_at(address, app, scenario.world.account(MAINTAINER).id),
    )


def _no_proxy_for_loopback(environment: os._Environ[str]) -> None:
    """Requests honours a proxy of the environment even for loopback, unless it is told otherwise."""
    for name in ("NO_PROXY", "no_proxy"):
        environment[name] = ",".join(filter(None, [environment.get(name, ""), LOOPBACK]))


async def _night(running: Stage, run_id: RunId, attempt: int) -> str:
    """Deliver one completed nightly and wait for how its task ends."""
    delivery = await running.sandbox.complete_run(run_id, attempt)
    request = TaskRequest(
        kind=TaskKind.NIGHTLY,
        installation_id=running.scenario.access.installation.id,
        repository_id=RepositoryId(running.repository.id),
        run_id=run_id,
        attempt=attempt,
    )
    async with asyncio.timeout(PATIENCE_S):
        ended = await running.service.queue.result(request.key)
    how = f"{ended['outcome']}: {ended['detail']}" if isinstance(ended, dict) else str(ended)
    return f"run {run_id}: webhook answered {delivery.status_code}, {how}"


def _show(running: Stage, say: Say) -> None:
    """Print the pull request, its diff, and the first rows of its evidence."""
    repository, git = running.repository, running.repository.git
    pull = next(iter(repository.issues.values()))
    branch = rolling_branch(repository.default_branch)
    say(f"\n===== The pull request: {pull.title}\n\n{_told(pull.body or '')}")
    say(f"===== Its diff\n\n{git.run('diff', f'{repository.default_branch}...{branch}').decode(errors='replace')}")
    say(f"===== The first rows of evidence.csv\n\n{_evidence(git)}\n")
    say("===== Where to look\n")
    say(f"the pull request     {running.urls.html}/{repository.full_name}/pull/{pull.number}")
    say(f"the service's pages  {running.pages} (sign in as {MAINTAINER})\n")


def _told(body: str) -> str:
    """The pull request's text for a terminal: what is folded in a browser is named alone."""
    return _FOLDED.sub(r"(folded: \1)\n", _MARKER.sub("", body))


def _evidence(git: GitStore) -> str:
    newest = git.run("diff", "--name-only", f"{EVIDENCE_BRANCH}^", EVIDENCE_BRANCH, "--", "*evidence.csv").decode()
    table = git.run("show", f"{EVIDENCE_BRANCH}:{newest.split()[0]}").decode()
    return "\n".join(table.splitlines()[: SHOWN_ROWS + 1])
