"""A nightly whose service is struck at every stage in turn: it goes on where it was, and the world sees it once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.sandbox import events, scenario
from bot.sandbox.generator import Generated
from bot.sandbox.state import Repo, World
from bot.sandbox.threaded import ThreadedSandbox
from bot.sandbox.traffic import Exchange
from bot.store.open import Store
from tests.sandbox.github_schema import Watcher
from tests.sandbox.service import EVIDENCE, ROLLING, SECRET

WAIT_S = 45.0  # for what takes two seconds
_REPO = "/repos/{owner}/{repo}"
# What the service has just asked when it is struck, in the order of the road.
PINNING = ("POST", "/graphql:repository")
COLLECTING = ("GET", f"{_REPO}/actions/jobs/{{job_id}}/logs")
EVALUATING = ("GET", f"{_REPO}/git/trees/{{tree_sha}}")
PREPARING = ("POST", f"{_REPO}/git/commits")
MOVING = ("POST", "/graphql:updateRefs")
SETTLING = ("POST", f"{_REPO}/pulls")


@dataclass
class Served:
    """`recalibrate serve` as a process of its own that is struck at each stage and started again."""

    world: World
    environment: dict[str, str]
    blow: signal.Signals
    pending: list[tuple[str, str]]
    process: subprocess.Popen[str] | None = None
    stopped: list[int] = field(default_factory=list)

    def start(self) -> str:
        """Start it; the address it prints."""
        command = [sys.executable, "-m", "bot", "serve"]
        self.process = subprocess.Popen(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        return self.until("/webhook").rsplit(" ", 1)[-1].strip()

    def until(self, words: str) -> str:
        """The first line that holds the words; "" where the process and its workers ended before one came."""
        assert self.process
        assert self.process.stdout
        watchdog = threading.Timer(WAIT_S, os.killpg, (self.process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            return next((line for line in self.process.stdout if words in line), "")
        finally:
            watchdog.cancel()

    def strike(self, exchange: Exchange) -> None:
        if self.pending and (exchange.method, exchange.route) == self.pending[0] and self.process:
            self.pending.pop(0)
            self.process.send_signal(self.blow)

    def end(self) -> None:
        """Take it away, however it is."""
        if self.process and self.process.stdout:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process.stdout.close()


@contextmanager
def served(
    directory: Path, generated: Generated, blow: signal.Signals, stages: Sequence[tuple[str, str]]
) -> Iterator[tuple[Served, Repo]]:
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
        it = Served(world, environment, blow, list(stages))
        world.watchers.append(it.strike)
        try:
            access.app.webhook_url = it.start()
            run = generated.runs[0].run_id
            payload = events.workflow_run(world, repo, run, 1)
            assert sandbox.deliver("workflow_run", payload).status_code == 202
            yield it, repo
        finally:
            it.end()
    assert watcher.found == []


@pytest.mark.parametrize(
    ("blow", "stages"),
    [
        (signal.SIGKILL, (PINNING, EVALUATING, PREPARING, MOVING, SETTLING)),
        (signal.SIGTERM, (COLLECTING, EVALUATING, MOVING)),
    ],
    ids=["killed", "stopped"],
)
def test_a_service_struck_at_every_stage_goes_on_where_it_was(
    tmp_path: Path, generated: Generated, blow: signal.Signals, stages: Sequence[tuple[str, str]]
) -> None:
    with served(tmp_path, generated, blow, stages) as (service, repo):
        for left in range(len(stages), 0, -1):
            assert service.until("task ended") == "", f"struck too late: {stages[-left]}"
            assert service.process
            assert service.process.wait(60) == (-blow if blow is signal.SIGKILL else 0)
            assert len(service.pending) == left - 1
            service.end()
            service.start()
        assert service.until("task ended")
        service.end()
    store = Store.open(f"sqlite:///{tmp_path / 'work' / 'recalibrate.sqlite'}")
    outcome = store.outcomes.find(f"nightly:{repo.id}:{generated.runs[0].run_id}:1")
    store.close()
    assert outcome
    assert outcome.name == "published"
    (pull,) = repo.pulls()
    assert outcome.detail.endswith(f"/pull/{pull.number}")
    assert repo.git.run("rev-list", "--parents", "-1", ROLLING).decode().split()[1:] == [generated.base]
    assert len(repo.git.run("rev-list", EVIDENCE).split()) == 1
    assert {name for name, _ in repo.git.refs("refs/heads/")} == {"refs/heads/main", ROLLING, EVIDENCE}
