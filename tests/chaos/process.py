"""The service as a process of its own beside the local GitHub: started, killed and started again, on any database.

What it is killed for is decided elsewhere; this only knows how.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox import scenario
from bot.sandbox.threaded import ThreadedSandbox
from bot.settings import server_settings
from bot.store.open import Store
from tests.sandbox.github_schema import Watcher
from tests.sandbox.service import SECRET, Rig


@dataclass
class Child:
    """The service as a process."""

    command: Sequence[str]
    environment: dict[str, str]
    plan: Path
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        """Start it; the address of its webhook."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.command],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.process.stdout
        words = self.process.stdout.readline().decode().split()
        if not words:
            raise RuntimeError(f"the service did not start; see {self.log}")
        return words[-1]

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL, and wait until nothing of it is left that could send anything."""
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def close(self) -> None:
        if self.process and self.process.stdout:
            self.kill()
            self.process.stdout.close()


@dataclass
class KilledRig(Rig):
    """The local GitHub with a service that runs in a process of its own."""

    child: Child | None = None
    opened: Store | None = None

    @property
    def store(self) -> Store:
        assert self.opened
        return self.opened

    def start(self) -> None:
        assert self.child
        self.app.webhook_url = self.child.start()

    def stop(self) -> None:
        assert self.child
        self.child.close()


@contextmanager
def killed_rig(directory: Path, database_url: str, queue_url: str, command: Sequence[str] = ()) -> Iterator[KilledRig]:
    """A local GitHub and a service in a process of its own, on the given databases.

    `command` is what Python is started with; by default the service that looks at a plan.
    """
    world, watcher = scenario.new_world(directory / "world"), Watcher()
    world.watchers.append(watcher)
    access = scenario.add_app(world, "tools")
    access.app.webhook_secret = SECRET
    with ThreadedSandbox(world) as sandbox:
        given = {
            "GITHUB_URL": sandbox.urls.api,
            "APP_ID": str(access.app.id),
            "PRIVATE_KEY": access.private_pem.decode(),
            "WEBHOOK_SECRET": SECRET,
            "DATABASE_URL": database_url,
            "QUEUE_URL": queue_url,
            "WORK_DIR": str(directory / "work"),
            "PORT": "0",
            "EXECUTOR_ID": "chaos",
            "SWEEP_MINUTES": "0",
        }
        environment = {**os.environ, **{f"RECALIBRATE_{name}": value for name, value in given.items()}}
        plan = directory / "plan"
        started = command or ("-m", "tests.chaos.child", str(plan))
        child = Child(started, environment, plan, directory / "service.log")
        made = KilledRig(
            sandbox, access.app, server_settings(environment), watcher, child=child, opened=Store.open(database_url)
        )
        made.start()
        try:
            yield made
        finally:
            made.stop()
            made.store.close()
    assert watcher.found == []
