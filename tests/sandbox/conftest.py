"""A running sandbox for each test, over one small repository, with every exchange held to GitHub's schema."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sandbox import auth, scenario
from bot.sandbox.generator import Generated, generate
from bot.sandbox.threaded import ThreadedSandbox
from tests.sandbox.github_schema import Watcher
from tests.sandbox.hub import NAME, OWNER, Clock, Hub
from tests.sandbox.service import Rig, rig


@pytest.fixture(scope="session")
def app_key() -> tuple[bytes, bytes]:
    return auth.generate_key()


@pytest.fixture(scope="session")
def small_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits on main and files of several kinds."""
    path = tmp_path_factory.mktemp("source") / "repo"
    identity = ("-c", "user.name=Mona", "-c", "user.email=mona@example.invalid", "-c", "commit.gpgsign=false")

    def git(*args: str) -> None:
        subprocess.run(["git", "-C", str(path), *identity, *args], check=True, capture_output=True)

    path.mkdir()
    git("init", "-q", "-b", "main")
    (path / "tests").mkdir()
    (path / "tests" / "test_one.py").write_bytes(b"register_cuda_ci(est_time=100, suite='a')\n")
    (path / "tests" / "test_bom.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    (path / "tests" / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n".encode("latin-1"))
    (path / "tests" / "data.bin").write_bytes(b"\0\1\2")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    (path / "README.md").write_text("# Tests\n")
    git("add", "-A")
    git("commit", "-q", "-m", "second")
    git("tag", "v1")
    return path


@pytest.fixture
def hub(tmp_path: Path, small_repository: Path, app_key: tuple[bytes, bytes]) -> Iterator[Hub]:
    """A sandbox that listens; at the end nothing it said or was told may be outside GitHub's schema."""
    clock, watcher = Clock(), Watcher()
    world = scenario.new_world(tmp_path / "world", clock)
    world.watchers.append(watcher)
    repo = scenario.add_repository(world, small_repository, f"{OWNER}/{NAME}")
    access = scenario.add_app(world, OWNER, key=app_key)
    with ThreadedSandbox(world) as running:
        yield Hub(running, world, repo, access, clock, watcher)
    assert watcher.found == []


@pytest.fixture(scope="module")
def service_rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """The running service of a module's tests; each takes a repository and an installation of its own."""
    with rig(tmp_path_factory.mktemp("service")) as made:
        yield made


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """The generated repository with its two nights."""
    return generate(tmp_path_factory.mktemp("generated"))
