"""Promises of the reading half against a real repository: the same files git has, and its history."""

import asyncio
from pathlib import Path

from bot.domain import CommitSha, blob_sha
from bot.forge.commits import Commits
from bot.forge.config import read_config
from bot.forge.history import CommitRead, read_commit
from bot.forge.repository import branch_tip, read_repository
from bot.forge.tree import GitHubTree
from bot.publish.ports.commits import FileWrite, NewCommit
from tests.sandbox.forge_world import FILES, NAME, git, scene


def test_every_file_of_a_commit_arrives_byte_for_byte(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, here.reading() as client:
            tree = GitHubTree(client, NAME)
            files = await tree.files(here.base)
            contents = await tree.contents([entry.blob for entry in files.values()])
            found = {path: contents[entry.blob] for path, entry in files.items()}
            assert found == FILES | {"run.sh": b"#!/bin/sh\n"}
            assert files["run.sh"].mode == "100755"
            assert all(entry.blob == blob_sha(found[path]) for path, entry in files.items())
            assert {path: entry.size for path, entry in files.items()} == {
                path: len(raw) for path, raw in found.items()
            }

    asyncio.run(scenario())


def test_a_truncated_listing_gives_the_same_files(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, here.reading() as client:
            whole = await GitHubTree(client, NAME).files(here.base)
            here.repo.tree_limit = 4
            assert await GitHubTree(client, NAME).files(here.base) == whole

    asyncio.run(scenario())


def test_ancestry_is_gits(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, here.reading() as client:
            child = CommitSha(
                git(here.repo.git.path, "commit-tree", f"{here.base}^{{tree}}", "-p", here.base, "-m", "c")
            )
            here.git("update-ref", "refs/heads/main", child)
            tree = GitHubTree(client, NAME)
            assert await tree.is_ancestor(here.base, child)
            assert not await tree.is_ancestor(child, here.base)
            assert not await tree.is_ancestor(CommitSha("d" * 40), child)

    asyncio.run(scenario())


def test_the_repository_its_tip_and_its_configuration(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, here.reading() as client:
            assert (await read_repository(client, NAME)).repository_id == here.repo.id
            assert await branch_tip(client, NAME, "main") == here.base
            assert await read_config(client, NAME, here.base) == FILES[".github/recalibrate.yml"]
            empty = git(here.repo.git.path, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "empty")
            assert await read_config(client, NAME, CommitSha(empty)) is None

    asyncio.run(scenario())


def test_a_commit_of_ours_reads_back_as_it_was_made(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, here.reading() as client:
            new = NewCommit("title\n\nTrailer: x", (FileWrite("tests/test_a.py", b"x = 2\n"),), here.base)
            sha = await here.write(lambda session: Commits(session).commit(new))
            expected = CommitRead(
                "title\n\nTrailer: x", here.base, {"tests/test_a.py": blob_sha(b"x = 2\n")}, (here.base,)
            )
            assert await read_commit(client, NAME, sha) == expected

    asyncio.run(scenario())
