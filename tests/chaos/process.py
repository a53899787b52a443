"""The service as a process of its own beside the local GitHub: started, killed and started again, on any database.

What it is killed for is decided elsewhere; this only knows how.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from dbos import DBOSClient

from bot.domain import TaskRequest
from bot.sandbox import scenario
from bot.sandbox.threaded import ThreadedSandbox
from bot.settings import server_settings
from bot.store.open import Store
from bot.tasks.intake import WORKFLOW
from bot.tasks.queue import PIPELINE_VERSION, QUEUE, JsonSerializer
from tests.sandbox.github_schema import Watcher
from tests.sandbox.service import SECRET, Rig


class Child(Protocol):
    """The service as a process."""

    @property
    def pid(self) -> int: ...

    @property
    def alive(self) -> bool: ...

    def start(self) -> str:
        """Start it; the address of its webhook."""
        ...

    def kill(self) -> None:
        """SIGKILL, and wait until nothing of it is left that could send anything."""
        ...

    def close(self) -> None:
        """End everything that was started."""
        ...


class Spawned:
    """A command that prints the address; started anew each time."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], log: Path) -> None:
        self._command = [sys.executable, *command]
        self._environment, self._log = environment, log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> str:
        self.close()
        with self._log.open("ab") as errors:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdout=subprocess.PIPE, stderr=errors
            )
        assert self._process.stdout
        words = self._process.stdout.readline().decode().split()
        if not words:
            raise RuntimeError(f"the service did not start; see {self._log}")
        return words[-1]

    def kill(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        self.kill()
        if self._process and self._process.stdout:
            self._process.stdout.close()


class Forked:
    """`child.py`: a process that has everything imported and becomes a service, by a fork, as often as it is told to.

    It says `PID`, then what the service says, and `ended` when the service is gone.
    """

    def __init__(self, plan: Path, environment: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.child", str(plan)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self._pid = 0
        self._lock = threading.Lock()  # the local GitHub kills from its own thread

    @property
    def pid(self) -> int:
        return self._pid

    @property
    def alive(self) -> bool:
        with self._lock:
            return bool(self._pid) and not self._said()

    def start(self) -> str:
        assert self._process.stdin
        self._process.stdin.write(b"start\n")
        self._process.stdin.flush()
        self._pid = int(self._line())
        address = self._line()
        if not address.startswith("http"):
            raise RuntimeError(f"the service did not start; see {self._log}")
        return address

    def kill(self) -> None:
        with self._lock:
            if not self._pid:
                return
            if not self._said():
                os.kill(self._pid, signal.SIGKILL)
            if self._line() != "ended":
                raise RuntimeError(f"the service said something on its way; see {self._log}")
            self._pid = 0

    def close(self) -> None:
        self.kill()
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _said(self) -> bool:
        """Nothing is said between the address and the end."""
        assert self._process.stdout
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def _line(self) -> str:
        """A line; read without a buffer, so that what is not read yet can be seen to be there."""
        assert self._process.stdout
        line = bytearray()
        while not line.endswith(b"\n"):
            read = os.read(self._process.stdout.fileno(), 1)
            if not read:
                raise RuntimeError(f"the service's parent is gone; see {self._log}")
            line += read
        return line.decode().strip()


@dataclass
class KilledRig(Rig):
    """The local GitHub with a service that runs in a process of its own."""

    child: Child | None = None
    opened: Store | None = None
    asking: DBOSClient | None = None
    plan: Path = Path()

    @property
    def store(self) -> Store:
        assert self.opened
        return self.opened

    @property
    def alive(self) -> bool:
        return self.child is not None and self.child.alive

    def start(self) -> None:
        assert self.child
        self.app.webhook_url = self.child.start()

    def kill(self) -> None:
        """SIGKILL; a second time does nothing."""
        assert self.child
        self.child.kill()

    def stop(self) -> None:
        self.kill()

    def ask(self, request: TaskRequest) -> None:
        assert self.asking
        self.asking.enqueue(
            {
                "queue_name": QUEUE,
                "workflow_name": WORKFLOW,
                "workflow_id": request.take_id,
                "app_version": PIPELINE_VERSION,
                "queue_partition_key": request.lane,
            },
            asdict(request),
        )


@contextmanager
def killed_rig(directory: Path, database_url: str, queue_url: str, command: Sequence[str] = ()) -> Iterator[KilledRig]:
    """A local GitHub and a service in a process of its own, on the given databases.

    What is said is not held to GitHub's schema here: the tests over HTTP do that with the same calls.

    `command` is what Python is started with; by default the service that looks at a plan.
    """
    world = scenario.new_world(directory / "world")
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
        plan, log = directory / "plan", directory / "service.log"
        child: Child = Spawned(command, environment, log) if command else Forked(plan, environment, log)
        opened = Store.open(database_url)
        made = KilledRig(
            sandbox, access.app, server_settings(environment), Watcher(), child=child, opened=opened, plan=plan
        )
        try:
            made.start()
            made.asking = DBOSClient(system_database_url=queue_url, serializer=JsonSerializer())
            yield made
        finally:
            if made.asking:
                made.asking.destroy()
            child.close()
            opened.close()
