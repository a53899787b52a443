"""`recalibrate serve` as processes of their own, one that receives and one that works, at one Postgres."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import sqlalchemy as sa

from bot.sandbox import auth, scenario
from bot.sandbox.generator import generate
from bot.sandbox.state import AccountKind
from bot.sandbox.threaded import ThreadedSandbox

SECRET = "planted-webhook-secret-9b31"
PATIENCE_S = 90.0
TOLD = "receiving webhooks at "


@contextmanager
def served(role: str, environment: dict[str, str]) -> Iterator[str]:
    """A running process; the address it tells."""
    command = [sys.executable, "-m", "bot", "serve", "--role", role]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line.startswith(TOLD), line
        yield line.removeprefix(TOLD).strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - loopback
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_one_process_receives_and_another_works(postgres_schema_url: str, postgres_url: str, tmp_path: Path) -> None:
    made, world = generate(tmp_path / "generated"), scenario.new_world(tmp_path / "world")
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
        common = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RECALIBRATE_")},
            "RECALIBRATE_GITHUB_URL": github.urls.api,
            "RECALIBRATE_APP_ID": str(access.app.id),
            "RECALIBRATE_DATABASE_URL": postgres_schema_url,
            "RECALIBRATE_QUEUE_URL": queue,
            "RECALIBRATE_WORK_DIR": str(tmp_path / "work"),
            "RECALIBRATE_PORT": "0",
            "RECALIBRATE_SWEEP_MINUTES": "0",
        }
        with served("web", {**common, "RECALIBRATE_WEBHOOK_SECRET": SECRET}) as web:
            access.app.webhook_url = web
            for run in runs:
                assert github.complete_run(run).status_code == 202
            assert not [call for call in world.journal if "/repos/" in call.path]  # nobody has worked on it
            with served("worker", {**common, "RECALIBRATE_PRIVATE_KEY": access.private_pem.decode()}) as worker:
                assert status(worker) == 404
                assert status(worker.replace("/webhook", "/healthz")) == 200
                until(lambda: len(ended(postgres_schema_url)) == 2)
    assert len(repo.pulls()) == 1
    assert ended(postgres_schema_url) == ["published", "published"]


def ended(url: str) -> list[str]:
    """How the tasks ended, in order."""
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("select name from outcomes order by ended_at")]


def test_a_database_that_cannot_be_used_is_told_in_one_line(postgres_url: str, tmp_path: Path) -> None:
    queue = sa.make_url(postgres_url).set(username="stranger").render_as_string(hide_password=False)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RECALIBRATE_")},
        "RECALIBRATE_APP_ID": "1",
        "RECALIBRATE_WEBHOOK_SECRET": SECRET,
        "RECALIBRATE_WORK_DIR": str(tmp_path),
        "RECALIBRATE_QUEUE_URL": queue,
        "RECALIBRATE_PORT": "0",
    }
    command = [sys.executable, "-m", "bot", "serve", "--role", "web"]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert found.returncode == 2
    told = found.stderr.strip().splitlines()[-1]
    assert told.startswith("recalibrate: RECALIBRATE_QUEUE_URL: the tasks' database cannot be used: ")
    assert "stranger" in told
