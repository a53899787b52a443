"""Promises of commits made over the API: the very bytes, nothing else, and nothing twice."""

import asyncio
from pathlib import Path

import pytest

from bot.domain import CommitSha, blob_sha
from bot.errors import InternalError
from bot.forge.answers import BusyError, RefusedError
from bot.forge.commits import Commits, travels_inline
from bot.publish.ports.commits import FileWrite, NewCommit
from bot.sandbox.traffic import Fault
from tests.sandbox.forge_world import FILES, LATIN, Scene, scene

TREES, BLOBS = "/repos/{owner}/{repo}/git/trees", "/repos/{owner}/{repo}/git/blobs"


def commit(here: Scene, parent: CommitSha | None, **files: bytes) -> NewCommit:
    return NewCommit("change", tuple(FileWrite(f"tests/{name}.py", raw) for name, raw in files.items()), parent)


def test_a_commit_changes_its_files_and_no_other(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = commit(here, here.base, test_a=b"x = 2\n", test_new="é\u2028\r\n".encode())
            sha = await here.write(lambda session: Commits(session).commit(new))
            changed = here.git("diff-tree", "-r", "--name-status", here.base, sha).splitlines()
            assert changed == ["M\ttests/test_a.py", "A\ttests/test_new.py"]
            assert here.git("rev-parse", f"{sha}^") == here.base
            assert here.git("rev-parse", f"{sha}:tests/test_new.py") == blob_sha("é\u2028\r\n".encode())
            assert here.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "raw",
    [LATIN.replace(b"1", b"2"), b"\xef\xbb\xbfx = 2\r\n", b"\0\xff", b"", b"x = 1\r\r\n\x0c", b"x" * 600_000],
    ids=["latin-1", "bom", "binary", "empty", "controls", "large"],
)
def test_every_encoding_arrives_as_git_would_hash_it(tmp_path: Path, raw: bytes) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = commit(here, here.base, test_latin=raw)
            sha = await here.write(lambda session: Commits(session).commit(new))
            assert here.git("rev-parse", f"{sha}:tests/test_latin.py") == blob_sha(raw)

    asyncio.run(scenario())


def test_forty_plain_files_cost_three_calls(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = commit(here, here.base, **{f"test_{n}": b"x = %d\n" % n for n in range(40)})
            await here.write(lambda session: Commits(session).commit(new))
            assert [record.route for record in here.world.journal] == [
                TREES,
                "/graphql:repository",
                "/repos/{owner}/{repo}/git/commits",
            ]

    asyncio.run(scenario())


def test_the_trees_of_two_commits_are_looked_at_together(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            one, other = (commit(here, here.base, test_a=raw) for raw in (b"x = 2\n", b"x = 3\n"))
            made = await here.write(lambda session: Commits(session).commit_all((one, other)))
            assert [here.git("show", f"{sha}:tests/test_a.py") for sha in made] == ["x = 2", "x = 3"]
            assert [record.route for record in here.world.journal].count("/graphql:repository") == 1

    asyncio.run(scenario())


def test_a_commit_of_the_app_is_signed_and_has_no_author_of_ours(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            sha = await here.write(lambda session: Commits(session).commit(commit(here, here.base, test_a=b"x = 2\n")))
            assert sha in here.repo.verified
            assert here.git("log", "-1", "--format=%an", sha) == here.login

    asyncio.run(scenario())


def test_files_the_parent_has_already_make_no_new_commit(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            same = commit(here, here.base, test_a=FILES["tests/test_a.py"], test_latin=LATIN)
            assert await here.write(lambda session: Commits(session).commit(same)) == here.base

    asyncio.run(scenario())


def test_an_orphan_holds_its_files_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = NewCommit("evidence [skip ci]", (FileWrite("runs/1/evidence.csv", b"a,b\n"),), None)
            sha = await here.write(lambda session: Commits(session).commit(new))
            assert here.git("ls-tree", "-r", "--name-only", sha) == "runs/1/evidence.csv"
            assert here.git("log", "-1", "--format=%P", sha) == ""

    asyncio.run(scenario())


def test_an_executable_file_stays_executable(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = NewCommit("x", (FileWrite("run.sh", b"#!/bin/sh\nexit\n", "100755"),), here.base)
            sha = await here.write(lambda session: Commits(session).commit(new))
            assert here.git("ls-tree", sha, "run.sh").startswith("100755 ")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "path", [".github/workflows/x.yml", ".GitHub/x", "a/.git/config", "../x", "a/../b", "/etc/x", "a//b", "", "a/./b"]
)
def test_paths_that_are_never_written_are_refused_before_any_call(tmp_path: Path, path: str) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = NewCommit("x", (FileWrite(path, b""),), here.base)
            with pytest.raises(InternalError, match="never written"):
                await here.write(lambda session: Commits(session).commit(new))
            assert here.world.journal == []

    asyncio.run(scenario())


@pytest.mark.parametrize("mode", ["120000", "160000", "040000"])
def test_only_regular_files_are_written(tmp_path: Path, mode: str) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = NewCommit("x", (FileWrite("a", b"", mode),), here.base)
            with pytest.raises(InternalError, match="regular"):
                await here.write(lambda session: Commits(session).commit(new))

    asyncio.run(scenario())


def test_without_the_permission_the_refusal_names_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = commit(here, here.base, test_a=b"x = 2\n")
            with pytest.raises(RefusedError, match="contents"):
                await here.write(lambda session: Commits(session).commit(new), contents="read")

    asyncio.run(scenario())


def test_an_unknown_parent_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            new = commit(here, CommitSha("d" * 40), test_a=b"x = 2\n")
            with pytest.raises(RefusedError, match="base_tree"):
                await here.write(lambda session: Commits(session).commit(new))

    asyncio.run(scenario())


def test_a_failed_write_is_not_repeated_by_the_client(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.world.faults.append(Fault("POST", TREES, 502, times=9))
            with pytest.raises(BusyError, match="502"):
                await here.write(lambda session: Commits(session).commit(commit(here, here.base, test_a=b"x = 2\n")))
            assert len(here.world.journal) == 1

    asyncio.run(scenario())


def test_a_secondary_limit_on_a_write_says_when_to_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            words = {
                "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            }
            here.world.faults.append(Fault("POST", TREES, 403, words))
            with pytest.raises(BusyError) as busy:
                await here.write(lambda session: Commits(session).commit(commit(here, here.base, test_a=b"x = 2\n")))
            assert busy.value.after_s == 60

    asyncio.run(scenario())


def test_one_file_that_fails_leaves_no_commit(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.world.faults.append(Fault("POST", BLOBS, 422, {"message": "Blob is too big"}, skip=1))
            new = commit(here, here.base, test_a=b"x = 2\n", test_latin=LATIN + b"\n", test_bom=b"\xef\xbb\xbfx = 2\n")
            with pytest.raises(RefusedError, match="Blob is too big"):
                await here.write(lambda session: Commits(session).commit(new))
            assert [record.route for record in here.world.journal] == [BLOBS, BLOBS]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("raw", "inline"),
    [
        (b"x = 1\n", True),
        ("π".encode(), True),
        (b"\xe9", False),
        (b"\xef\xbb\xbf", False),
        (b"\0", False),
        (b"x" * 524_289, False),
    ],
)
def test_only_text_that_json_cannot_damage_travels_inline(raw: bytes, inline: bool) -> None:
    assert travels_inline(raw) is inline
