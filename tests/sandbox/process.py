"""`recalibrate serve` as a process of its own beside a local GitHub: for tests of starts, stops and log lines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox import events, scenario
from bot.sandbox.generator import Generated
from bot.sandbox.state.accounts import App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.threaded import ThreadedSandbox
from bot.sandbox.traffic import Delivery
from tests.sandbox.github_schema import Watcher
from tests.sandbox.service import SECRET
from tests.waits import PATIENCE_S


@dataclass
class ServedProcess:
    """One process after another with one environment. Its output and its log are one stream."""

    environment: Mapping[str, str]
    process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start it, the one before it out of the way; the address it prints."""
        self.end()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        return self.until("/webhook").rsplit(" ", 1)[-1].strip()

    def until(self, words: str) -> str:
        """The first line that holds the words; "" where the process and its workers ended before one came."""
        return next((line for line in self.lines() if words in line), "")

    def lines(self) -> Iterator[str]:
        """What it says, until it ends; a process that says nothing for too long is killed."""
        assert self.process
        assert self.process.stdout
        watchdog = threading.Timer(PATIENCE_S, os.killpg, (self.process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            for line in self.process.stdout:  # noqa: UP028 - `yield from` would close the stream with the generator
                yield line
        finally:
            watchdog.cancel()

    def end(self) -> None:
        """Take it away, however it is."""
        if self.process and self.process.stdout:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE_S)
            self.process.stdout.close()


@dataclass(frozen=True)
class GitHub:
    """A local GitHub with one repository and its nights, and what a service needs to work for it."""

    sandbox: ThreadedSandbox
    app: App
    repo: Repo
    environment: Mapping[str, str]

    @property
    def world(self) -> World:
        return self.sandbox.world

    def deliver(self, run: int) -> Delivery:
        """Deliver the completed first attempt of a run."""
        return self.sandbox.deliver("workflow_run", events.workflow_run(self.world, self.repo, run, 1))


@contextmanager
def github_with(directory: Path, generated: Generated) -> Iterator[GitHub]:
    """Everything below `directory`; at the end nothing that was said may be outside GitHub's schema."""
    world, watcher = scenario.new_world(directory / "world"), Watcher()
    world.watchers.append(watcher)
    repo = scenario.add_repository(world, generated.repository, "heron-lab/heron")
    access = scenario.add_app(world, "heron-lab")
    access.app.webhook_secret = SECRET
    for run in generated.runs:
        scenario.add_run(world, repo, run.directory)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}
    with ThreadedSandbox(world) as sandbox:
        environment = {
            **kept,
            "NO_PROXY": "127.0.0.1",
            "RECALIBRATE_GITHUB_URL": sandbox.urls.api,
            "RECALIBRATE_APP_ID": str(access.app.id),
            "RECALIBRATE_PRIVATE_KEY": access.private_pem.decode(),
            "RECALIBRATE_WEBHOOK_SECRET": SECRET,
            "RECALIBRATE_WORK_DIR": str(directory / "work"),
            "RECALIBRATE_PORT": "0",
            "RECALIBRATE_SWEEP_MINUTES": "0",
            "RECALIBRATE_EXECUTOR_ID": "tests",
        }
        yield GitHub(sandbox, access.app, repo, environment)
    assert watcher.found == []
