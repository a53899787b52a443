"""Promises about files over the API: every path, the very bytes, and few questions."""

import asyncio
import base64
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, CommitSha, blob_sha
from bot.edit.ports import TreeEntry
from bot.errors import UserError
from bot.forge.answers import BusyError, RefusedError
from bot.forge.tree import TREES_HELD, GitHubTree, exact_text
from tests.unit.forge.fake_github import FakeGitHub, Reply, Seen, reading

REPO = "/api/v3/repos/zoo/otter"
HEAD, BASE = CommitSha("a" * 40), CommitSha("b" * 40)


def item(path: str, sha: str, mode: str = "100644", kind: str = "blob", **more: Any) -> dict[str, Any]:
    return {"path": path, "mode": mode, "type": kind, "sha": sha * 40} | more


def graphql_of(blobs: dict[str, bytes]) -> Any:
    """GitHub's GraphQL: decodes with replacement, drops a BOM, shows no text for binary."""

    def answer(seen: Seen) -> Reply:
        found: dict[str, Any] = {}
        for alias, oid in re.findall(r'(b\d+): object\(oid: "([0-9a-f]{40})"\)', seen.data["query"]):
            raw = blobs.get(oid)
            text = None if raw is None or b"\0" in raw else raw.decode("utf-8-sig", "replace")
            found[alias] = None if raw is None else {"oid": oid, "text": text, "isTruncated": False}
        return Reply(data={"data": {"repository": found}})

    return answer


def serve(fake: FakeGitHub, *contents: bytes) -> list[BlobSha]:
    blobs = {str(blob_sha(raw)): raw for raw in contents}
    fake.on("POST", "/api/graphql", graphql_of(blobs))
    for sha, raw in blobs.items():
        data = {"sha": sha, "content": base64.encodebytes(raw).decode(), "encoding": "base64"}
        fake.on("GET", f"{REPO}/git/blobs/{sha}", Reply(data=data))
    return [BlobSha(sha) for sha in blobs]


def test_all_files_of_a_commit_are_listed_with_their_modes() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            items = [item("tests", "1", "040000", "tree"), item("tests/a.py", "2", size=3), item("run", "3", "100755")]
            items += [item("link", "4", "120000"), item("sub", "5", "160000", "commit")]
            tree = {"sha": "9" * 40, "tree": items, "truncated": False}
            fake.on("GET", f"{REPO}/git/trees/{HEAD}?recursive=1", Reply(data=tree))
            files = GitHubTree(client, "zoo/otter")
            expected = {
                "tests/a.py": TreeEntry(BlobSha("2" * 40), "100644"),
                "run": TreeEntry(BlobSha("3" * 40), "100755"),
                "link": TreeEntry(BlobSha("4" * 40), "120000"),
                "sub": TreeEntry(BlobSha("5" * 40), "160000"),
            }
            assert await files.files(HEAD) == expected
            assert await files.files(HEAD) == expected
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_truncated_tree_is_walked() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:

            def on(sha: str, suffix: str, items: list[dict[str, Any]], *, truncated: bool = False) -> None:
                tree = {"sha": "9" * 40, "tree": items, "truncated": truncated}
                fake.on("GET", f"{REPO}/git/trees/{sha}{suffix}", Reply(data=tree))

            on(HEAD, "?recursive=1", [item("a", "1")], truncated=True)
            on(HEAD, "", [item("a", "1"), item("d", "2", "040000", "tree"), item("e", "3", "040000", "tree")])
            on("2" * 40, "?recursive=1", [], truncated=True)
            on("2" * 40, "", [item("x", "4"), item("f", "5", "040000", "tree")])
            on("3" * 40, "?recursive=1", [item("y", "6")])
            on("5" * 40, "?recursive=1", [item("z", "7"), item("g/h", "8")])
            found = await GitHubTree(client, "zoo/otter").files(HEAD)
            assert {path: entry.blob[0] for path, entry in found.items()} == {
                "a": "1", "d/x": "4", "e/y": "6", "d/f/z": "7", "d/f/g/h": "8",
            }  # fmt: skip

    asyncio.run(scenario())


def test_a_tree_that_never_stops_being_truncated_is_refused() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            inside = [item("d", "2", "040000", "tree")]
            for sha in (HEAD, "2" * 40):
                fake.on(
                    "GET",
                    f"{REPO}/git/trees/{sha}?recursive=1",
                    Reply(data={"sha": sha, "tree": [], "truncated": True}),
                )
                fake.on("GET", f"{REPO}/git/trees/{sha}", Reply(data={"sha": sha, "tree": inside}))
            with pytest.raises(RefusedError, match="more than 300"):
                await GitHubTree(client, "zoo/otter").files(HEAD)

    asyncio.run(scenario())


def test_an_unknown_commit_is_refused() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            files = GitHubTree(client, "zoo/otter")
            with pytest.raises(RefusedError):
                await files.files(HEAD)
            with pytest.raises(UserError, match="40 hex digits"):
                await files.files(CommitSha("main?recursive=1"))

    asyncio.run(scenario())


def test_plain_files_come_in_batches_of_a_hundred() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            contents = [f"x = {number}\n".encode() for number in range(120)]
            blobs = serve(fake, *contents)
            found = await GitHubTree(client, "zoo/otter").contents([*blobs, *blobs])
            assert sorted(found.values()) == sorted(contents)
            assert [item.method for item in fake.seen] == ["POST"] * 2

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfx = 1\n",
        b"# -*- coding: latin-1 -*-\n# \xe9\n",
        b"\0binary",
        b"",
        b"\r\n\r\x0c",
        "π\u2028".encode(),
    ],
)
def test_bytes_that_graphql_would_change_come_by_the_other_way(raw: bytes) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            (blob,) = serve(fake, raw)
            assert await GitHubTree(client, "zoo/otter").contents([blob]) == {blob: raw}

    asyncio.run(scenario())


def test_a_file_known_to_be_large_is_not_asked_for_as_text() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            raw = b"x" * 300_000
            (blob,) = serve(fake, raw)
            tree = {"sha": "9" * 40, "tree": [item("big", "0") | {"sha": blob, "size": len(raw)}]}
            fake.on("GET", f"{REPO}/git/trees/{HEAD}?recursive=1", Reply(data=tree))
            files = GitHubTree(client, "zoo/otter")
            await files.files(HEAD)
            assert (await files.contents([blob]))[blob] == raw
            assert [item.method for item in fake.seen] == ["GET", "GET"]

    asyncio.run(scenario())


def test_a_blob_that_is_not_there_is_refused() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            serve(fake)
            with pytest.raises(RefusedError, match="git/blobs"):
                await GitHubTree(client, "zoo/otter").contents([BlobSha("c" * 40)])

    asyncio.run(scenario())


@pytest.mark.parametrize("content", ["!", base64.b64encode(b"other").decode()])
def test_other_bytes_than_the_blobs_are_not_handed_on(content: str) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            serve(fake)
            data = {"sha": "c" * 40, "content": content, "encoding": "base64"}
            fake.on("GET", f"{REPO}/git/blobs/{'c' * 40}", Reply(data=data))
            with pytest.raises(BusyError):
                await GitHubTree(client, "zoo/otter").contents([BlobSha("c" * 40)])

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("status", "ancestor"),
    [("ahead", True), ("identical", True), ("behind", False), ("diverged", False)],
)
def test_ancestry_is_what_the_comparison_says(status: str, ancestor: bool) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/compare/{HEAD}...{BASE}?per_page=1", Reply(data={"status": status}))
            files = GitHubTree(client, "zoo/otter")
            assert await files.is_ancestor(HEAD, BASE) is ancestor
            assert await files.is_ancestor(HEAD, BASE) is ancestor
            assert len(fake.seen) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [404, 422])
def test_a_commit_that_is_unknown_is_no_ancestor_until_it_is_known(status: int) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            replies = [Reply(status), Reply(data={"status": "ahead"})]
            fake.on("GET", f"{REPO}/compare/{HEAD}...{BASE}?per_page=1", replies)
            files = GitHubTree(client, "zoo/otter")
            assert not await files.is_ancestor(HEAD, BASE)
            assert await files.is_ancestor(HEAD, BASE)

    asyncio.run(scenario())


def test_a_commit_is_its_own_ancestor_without_asking() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            assert await GitHubTree(client, "zoo/otter").is_ancestor(HEAD, HEAD)
            assert fake.seen == []

    asyncio.run(scenario())


def test_a_server_in_trouble_is_not_an_answer_about_ancestry() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/compare/{HEAD}...{BASE}?per_page=1", Reply(500))
            with pytest.raises(BusyError):
                await GitHubTree(client, "zoo/otter").is_ancestor(HEAD, BASE)

    asyncio.run(scenario())


@given(st.text(st.characters(codec="utf-8"), max_size=40))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_text_survives_as_its_own_utf_8(text: str) -> None:
    raw = text.encode()
    assert exact_text({"oid": str(blob_sha(raw)), "text": text, "isTruncated": False}) == raw


def test_the_names_of_content_are_gits() -> None:
    assert blob_sha(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_sha(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_trees_are_read_once_and_the_oldest_are_forgotten() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            commits = [CommitSha(f"{number:040x}") for number in range(TREES_HELD + 1)]
            for commit in commits:
                tree = {"sha": "9" * 40, "tree": [item("a.py", "1", size=1)], "truncated": False}
                fake.on("GET", f"{REPO}/git/trees/{commit}?recursive=1", Reply(data=tree))
            files = GitHubTree(client, "zoo/otter")
            first = await files.files(commits[0])
            assert await files.files(commits[0]) is first
            for commit in commits[1:]:
                assert await files.files(commit) == first
            before = len(fake.seen)
            assert await files.files(commits[-1]) == await files.files(commits[0])
            assert len(fake.seen) == before + 1

    asyncio.run(scenario())
