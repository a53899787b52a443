"""A running sandbox with one small repository, and write sessions of the App in it, for the forge's tests."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from bot.domain import CommitSha
from bot.forge.client import GitHubClient, RetryPolicy
from bot.forge.endpoint import Endpoint
from bot.forge.secret import Secret
from bot.forge.transport import new_session
from bot.forge.writes import WriteSession
from bot.network import DIRECT
from bot.sandbox.auth import PERMISSIONS, install, installation_token, register_app
from bot.sandbox.git_store import GitStore
from bot.sandbox.server import Sandbox
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import AccountKind, App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from tests.sandbox.github_schema import Watcher

NAME = "zoo/otter"
LATIN = b"# -*- coding: latin-1 -*-\n# caf\xe9\nx = 1\n"
FILES = {
    "tests/test_a.py": b"x = 1\n",
    "tests/test_latin.py": LATIN,
    "tests/test_bom.py": b"\xef\xbb\xbfx = 1\r\n",
    ".github/recalibrate.yml": b"version: 1\n",
}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a test needs of the running sandbox. `base` is the tip of main."""

    world: World
    repo: Repo
    endpoint: Endpoint
    app: App
    installation: Installation
    base: CommitSha

    def secret(self, **permissions: str) -> Secret:
        """A token of the App; without permissions all it has."""
        wanted = permissions or PERMISSIONS
        return Secret(installation_token(self.world, self.installation, wanted, None).secret)

    @property
    def login(self) -> str:
        return self.app.bot.login

    def git(self, *arguments: str) -> str:
        return git(self.repo.git.path, *arguments)

    async def write(self, work: Callable[[WriteSession], _T], **permissions: str) -> _T:
        """Run one step's writing in a thread, as the tasks do."""

        def step() -> _T:
            with WriteSession(self.endpoint, self.secret(**permissions), NAME) as session:
                return work(session)

        return await asyncio.to_thread(step)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[GitHubClient]:
        async with new_session(DIRECT) as session:
            yield GitHubClient(session, self.endpoint, _Bearer(self.secret()), RetryPolicy(sleep=_no_sleep))


@dataclass(frozen=True, slots=True)
class _Bearer:
    secret: Secret

    async def authorization(self) -> str:
        return f"Bearer {self.secret.reveal()}"

    def forget(self) -> bool:
        return False


async def _no_sleep(seconds: float) -> None:
    """Repeat at once."""


def git(where: Path, *arguments: str, stdin: bytes = b"") -> str:
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid"]
    done = subprocess.run(
        ["git", "-C", str(where), *identity, *arguments], input=stdin, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@asynccontextmanager
async def scene(directory: Path) -> AsyncIterator[Scene]:
    bare = directory / "otter.git"
    base = _make_repository(bare)
    world = World(directory)
    owner = world.account("zoo", AccountKind.ORGANIZATION)
    repo = Repo(5, owner, "otter", GitStore(bare), datetime(2026, 8, 1, tzinfo=UTC))
    world.repos[NAME] = repo
    app = register_app(world, "recalibrate", owner, b"")
    watcher = Watcher()
    world.watchers.append(watcher)
    sandbox = Sandbox(world)
    urls = await sandbox.start()
    try:
        yield Scene(world, repo, Endpoint.of(urls.api), app, install(world, app, owner), base)
    finally:
        await sandbox.stop()
    assert watcher.found == []


def _make_repository(bare: Path) -> CommitSha:
    bare.mkdir(parents=True)
    git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
    for path, raw in FILES.items():
        blob = git(bare, "hash-object", "-w", "--stdin", stdin=raw)
        git(bare, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    blob = git(bare, "hash-object", "-w", "--stdin", stdin=b"#!/bin/sh\n")
    git(bare, "update-index", "--add", "--cacheinfo", f"100755,{blob},run.sh")
    commit = git(bare, "commit-tree", git(bare, "write-tree"), "-m", "start")
    git(bare, "update-ref", "refs/heads/main", commit)
    return CommitSha(commit)
