"""`recalibrate serve` as processes of their own, one that receives and one that works, at one Postgres."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from bot.sandbox import auth, scenario
from bot.sandbox.generator import generate
from bot.sandbox.scenario import AppAccess
from bot.sandbox.state.accounts import AccountKind
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.threaded import ThreadedSandbox
from bot.sandbox.traffic import Exchange
from tests.waits import PATIENCE_S

SECRET = "planted-webhook-secret-9b31"
TOLD = "receiving webhooks at "


@contextmanager
def running(command: Sequence[str], environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process and the first line it writes."""
    process = subprocess.Popen([sys.executable, "-m", *command], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@contextmanager
def served(role: str, environment: dict[str, str]) -> Iterator[str]:
    """A running process; the address it tells."""
    with running(["bot", "serve", "--role", role], environment) as (process, line):
        assert line.startswith(TOLD), line
        yield line.removeprefix(TOLD).strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


@dataclass
class Lab:
    """The local GitHub with two nights, and what processes of the service are started with."""

    world: World
    repo: Repo
    access: AppAccess
    runs: list[int]
    environment: dict[str, str]

    @property
    def worker(self) -> dict[str, str]:
        return {**self.environment, "RECALIBRATE_PRIVATE_KEY": self.access.private_pem.decode()}

    @property
    def web(self) -> dict[str, str]:
        return {**self.environment, "RECALIBRATE_WEBHOOK_SECRET": SECRET}


@contextmanager
def lab(store_url: str, postgres_url: str, folder: Path) -> Iterator[tuple[Lab, ThreadedSandbox]]:
    made, world = generate(folder / "generated"), scenario.new_world(folder / "world")
    access = scenario.add_app(world, "tools")
    access.app.webhook_secret = SECRET
    repo = scenario.add_repository(world, made.repository, "roles-lab/heron")
    auth.install(world, access.app, world.account("roles-lab", AccountKind.ORGANIZATION))
    runs = [scenario.add_run(world, repo, run.directory) for run in made.runs]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS roles")
        connection.execute("CREATE DATABASE roles")
    queue = sa.make_url(postgres_url).set(database="roles").render_as_string(hide_password=False)
    with ThreadedSandbox(world) as github:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RECALIBRATE_")},
            "RECALIBRATE_GITHUB_URL": github.urls.api,
            "RECALIBRATE_APP_ID": str(access.app.id),
            "RECALIBRATE_DATABASE_URL": store_url,
            "RECALIBRATE_QUEUE_URL": queue,
            "RECALIBRATE_WORK_DIR": str(folder / "work"),
            "RECALIBRATE_PORT": "0",
            "RECALIBRATE_SWEEP_MINUTES": "0",
        }
        yield Lab(world, repo, access, runs, environment), github


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - loopback
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_one_process_receives_and_another_works(postgres_schema_url: str, postgres_url: str, tmp_path: Path) -> None:
    with lab(postgres_schema_url, postgres_url, tmp_path) as (here, github), served("web", here.web) as web:
        here.access.app.webhook_url = web
        for run in here.runs:
            assert github.complete_run(run).status_code == 202
        assert not [call for call in here.world.journal if "/repos/" in call.path]  # nobody has worked on it
        with served("worker", here.worker) as worker:
            assert status(worker) == 404
            assert status(worker.replace("/webhook", "/healthz")) == 200
            until(lambda: len(ended(postgres_schema_url)) == 2)
    assert len(here.repo.pulls()) == 1
    assert ended(postgres_schema_url) == ["published", "published"]


def test_a_nightly_whose_worker_is_killed_for_good_is_finished_by_another_at_its_last_step(
    postgres_schema_url: str, postgres_url: str, tmp_path: Path
) -> None:
    """The program as it is, but for how long a silent process is waited for."""
    hasty = ["tests.contract.hasty_worker"]
    with lab(postgres_schema_url, postgres_url, tmp_path) as (here, github), served("web", here.web) as web:
        here.access.app.webhook_url = web
        assert github.complete_run(here.runs[0]).status_code == 202
        with running(hasty, {**here.worker, "RECALIBRATE_EXECUTOR_ID": "first"}) as (first, _):
            here.world.watchers.append(lambda exchange: first.kill() if _opens_a_pull_request(exchange) else None)
            until(lambda: any(call.route.endswith("/jobs") for call in here.world.journal))  # the first has it
            with running(hasty, {**here.worker, "RECALIBRATE_EXECUTOR_ID": "second"}):
                until(lambda: first.poll() is not None)
                mark = len(here.world.journal)
                until(lambda: ended(postgres_schema_url) == ["published"])
    again = [call.route for call in here.world.journal[mark:]]
    assert not [route for route in again if route.endswith(("/jobs", "/logs", "/git/commits", "updateRefs"))]
    assert len(here.repo.pulls()) == 1


def _opens_a_pull_request(exchange: Exchange) -> bool:
    return (exchange.method, exchange.route) == ("POST", "/repos/{owner}/{repo}/pulls")


def ended(url: str) -> list[str]:
    """How the tasks ended, in order."""
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("select name from outcomes order by ended_at")]


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("RECALIBRATE_DATABASE_URL", "the store postgresql+psycopg://stranger:***@"),
        ("RECALIBRATE_QUEUE_URL", "the tasks' database cannot be used: "),
    ],
    ids=["store", "queue"],
)
def test_a_database_that_cannot_be_used_is_told_in_one_line_that_names_its_variable(
    postgres_url: str, tmp_path: Path, variable: str, said: str
) -> None:
    url = sa.make_url(postgres_url).set(username="stranger").render_as_string(hide_password=False)
    found = started(tmp_path, variable, url)
    assert found.startswith(f"recalibrate: {variable}: {said}")
    assert "stranger" in found


@pytest.mark.parametrize("variable", ["RECALIBRATE_DATABASE_URL", "RECALIBRATE_QUEUE_URL"])
def test_a_database_that_nobody_serves_is_told_by_what_happened_and_not_by_a_hint(
    tmp_path: Path, variable: str
) -> None:
    found = started(tmp_path, variable, "postgresql://127.0.0.1:9/recalibrate")
    assert found.startswith(f"recalibrate: {variable}: ")
    assert "refused" in found


@pytest.mark.parametrize("variable", ["RECALIBRATE_DATABASE_URL", "RECALIBRATE_QUEUE_URL"])
def test_an_at_in_a_password_is_told_with_its_variable_and_not_shown(tmp_path: Path, variable: str) -> None:
    found = started(tmp_path, variable, "postgresql://app:plan@ted@127.0.0.1:9/recalibrate")
    assert found.startswith(f"recalibrate: {variable}: ")
    assert "write %40 for it" in found
    assert "ted@" not in found


def test_a_github_that_is_no_address_is_told_with_its_variable(tmp_path: Path) -> None:
    found = started(tmp_path, "RECALIBRATE_GITHUB_URL", "nonsense", role="worker")
    assert found == "recalibrate: RECALIBRATE_GITHUB_URL: nonsense: not an address; it begins with https://"


def started(tmp_path: Path, variable: str, value: str, role: str = "web") -> str:
    """The last line of a service that cannot start with one setting as it is here."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RECALIBRATE_")},
        "RECALIBRATE_APP_ID": "1",
        "RECALIBRATE_PRIVATE_KEY": "a key that is not looked at before this",
        "RECALIBRATE_WEBHOOK_SECRET": SECRET,
        "RECALIBRATE_WORK_DIR": str(tmp_path),
        "RECALIBRATE_PORT": "0",
        variable: value,
    }
    command = [sys.executable, "-m", "bot", "serve", "--role", role]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert found.returncode == 2
    return found.stderr.strip().splitlines()[-1]
