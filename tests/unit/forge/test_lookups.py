"""Promises about the small questions: configuration, repository, role, failed deliveries."""

import asyncio
import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.config_file import Unreadable
from bot.domain import BlobSha, CommitSha, RepositoryId, blob_sha
from bot.forge.answers import BusyError, RefusedError
from bot.forge.config import read_config
from bot.forge.history import CommitRead, read_commit, read_commit_object
from bot.forge.installations import read_installation, read_repositories
from bot.forge.permissions import Role, role_of
from bot.forge.repository import branch_tip, read_repository
from bot.forge.webhook_api import failed_deliveries, redeliver
from bot.records.deliveries import FailedDelivery
from bot.records.repositories import Installation, Repository
from tests.unit.forge.fake_github import FakeGitHub, Reply, reading

REPO = "/api/v3/repos/zoo/otter"
COMMIT = CommitSha("a" * 40)
FILE = b"version: 1\n"
OTTER = Repository(RepositoryId(5), "zoo/Otter", 7, "main", private=True)


def answered(repository: Any) -> Reply:
    return Reply(data={"data": {"repository": repository}})


def blob(raw: bytes, text: str | None) -> dict[str, Any]:
    return {"oid": str(blob_sha(raw)), "text": text, "isTruncated": False}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (answered({"commit": {"oid": COMMIT}, "file": blob(FILE, FILE.decode())}), FILE),
        (answered({"commit": {"oid": COMMIT}, "file": None}), None),
        (answered({"commit": None, "file": None}), Unreadable("GitHub shows no such commit")),
        (answered({"commit": {"oid": COMMIT}, "file": {}}), Unreadable("it is not a file")),
        (answered(None), Unreadable("GitHub shows no such commit")),
    ],
    ids=["there", "absent", "no commit", "a directory", "no repository"],
)
def test_a_configuration_is_there_absent_or_unreadable(reply: Reply, expected: object) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("POST", "/api/graphql", reply)
            assert await read_config(client, "zoo/otter", COMMIT) == expected
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_hidden_repository_is_not_an_absent_file() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on(
                "POST", "/api/graphql", Reply(data={"data": None, "errors": [{"type": "NOT_FOUND", "message": "no"}]})
            )
            found = await read_config(client, "zoo/otter", COMMIT)
            assert isinstance(found, Unreadable)
            assert "permission" in found.reason

    asyncio.run(scenario())


def test_a_configuration_in_another_encoding_comes_byte_for_byte() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            raw = b"# caf\xe9\nversion: 1\n"
            fake.on(
                "POST",
                "/api/graphql",
                answered({"commit": {"oid": COMMIT}, "file": blob(raw, raw.decode("utf-8", "replace"))}),
            )
            data = {"sha": str(blob_sha(raw)), "content": base64.b64encode(raw).decode(), "encoding": "base64"}
            fake.on("GET", f"{REPO}/git/blobs/{blob_sha(raw)}", Reply(data=data))
            assert await read_config(client, "zoo/otter", COMMIT) == raw

    asyncio.run(scenario())


def test_a_server_in_trouble_says_nothing_about_the_configuration() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("POST", "/api/graphql", Reply(502))
            with pytest.raises(BusyError):
                await read_config(client, "zoo/otter", COMMIT)

    asyncio.run(scenario())


def test_a_repositorys_facts_and_a_branchs_tip() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            data = {"id": 5, "full_name": "zoo/Otter", "default_branch": "main", "private": True}
            fake.on("GET", REPO, Reply(data=data))
            fake.on("GET", f"{REPO}/git/ref/heads/feature/a%23b", Reply(data={"object": {"sha": COMMIT}}))
            assert await read_repository(client, "zoo/otter", 7) == OTTER
            assert await branch_tip(client, "zoo/otter", "feature/a#b") == COMMIT
            with pytest.raises(RefusedError):
                await branch_tip(client, "zoo/otter", "gone")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("reply", "role"),
    [
        (Reply(data={"permission": "admin", "role_name": "admin"}), Role.ADMIN),
        (Reply(data={"permission": "write", "role_name": "maintain"}), Role.MAINTAIN),
        (Reply(data={"permission": "read", "role_name": "triage"}), Role.TRIAGE),
        (Reply(data={"permission": "write", "role_name": "release manager"}), Role.WRITE),
        (Reply(data={"permission": "write"}), Role.WRITE),
        (Reply(data={"permission": "none", "role_name": ""}), Role.NONE),
        (Reply(data={"permission": "emperor"}), Role.NONE),
        (Reply(404, {"message": "Not Found"}), Role.NONE),
    ],
)
def test_a_persons_role_is_the_exact_one(reply: Reply, role: Role) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/collaborators/a%2Fb/permission", reply)
            assert await role_of(client, "zoo/otter", "a/b") is role

    asyncio.run(scenario())


def test_a_role_that_cannot_be_verified_is_not_a_role() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/collaborators/ann/permission", [Reply(500)])
            with pytest.raises(BusyError):
                await role_of(client, "zoo/otter", "ann")

    asyncio.run(scenario())


def delivery(number: int, guid: str, status: int, hour: int) -> dict[str, Any]:
    at = f"2026-08-02T{hour:02}:00:00Z"
    return {"id": number, "guid": guid, "delivered_at": at, "status_code": status, "event": "workflow_run"}


def test_only_deliveries_that_never_arrived_are_asked_for_again() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            page = [
                delivery(9, "lost", 502, 9),
                delivery(8, "healed", 202, 8),
                delivery(7, "healed", 500, 7),
                delivery(6, "lost", 0, 6),
                delivery(5, "fine", 202, 5),
                delivery(4, "also lost", 504, 4),
                delivery(3, "old", 500, 3),
            ]
            fake.on("GET", "/api/v3/app/hook/deliveries", Reply(data=page))
            fake.on("POST", "/api/v3/app/hook/deliveries/4/attempts", Reply(202, {}))
            lost = await failed_deliveries(client, datetime(2026, 8, 2, 4, tzinfo=UTC))
            assert lost == (
                FailedDelivery(4, "also lost", "workflow_run", datetime(2026, 8, 2, 4, tzinfo=UTC)),
                FailedDelivery(9, "lost", "workflow_run", datetime(2026, 8, 2, 9, tzinfo=UTC), 2),
            )
            await redeliver(client, lost[0])

    asyncio.run(scenario())


def test_the_sweep_stops_at_the_first_page_that_is_old_enough() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            more = {"link": f'<{fake.origin}/api/v3/app/hook/deliveries?cursor=x>; rel="next"'}
            fake.on("GET", "/api/v3/app/hook/deliveries", Reply(data=[delivery(1, "a", 500, 1)], headers=more))
            assert await failed_deliveries(client, datetime(2026, 8, 2, 5, tzinfo=UTC)) == ()
            assert len(fake.seen) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(data={"id": 7, "account": {"login": "zoo"}, "suspended_at": None}), Installation(7, "zoo")),
        (
            Reply(data={"id": 7, "account": {"slug": "big"}, "suspended_at": "2026-08-01T00:00:00Z"}),
            Installation(7, "", suspended=True),
        ),
        (Reply(404, {"message": "Not Found"}), None),
    ],
    ids=["there", "a suspended enterprise", "removed"],
)
def test_an_installation_is_there_suspended_or_removed(reply: Reply, expected: Installation | None) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", "/api/v3/app/installations/7", reply)
            assert await read_installation(client, 7) == expected

    asyncio.run(scenario())


def test_an_installations_repositories_are_counted() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            one = {"id": 5, "full_name": "zoo/Otter", "default_branch": "main", "private": True}
            pages = [Reply(data={"total_count": n, "repositories": [one]}) for n in (1, 2)]
            fake.on("GET", "/api/v3/installation/repositories", pages)
            assert await read_repositories(client, 7) == (OTTER,)
            with pytest.raises(BusyError, match="1 repositories listed of 2"):
                await read_repositories(client, 7)

    asyncio.run(scenario())


def changed(name: str, status: str, sha: str | None = "b" * 40, **more: str) -> dict[str, Any]:
    return {"filename": name, "status": status, "sha": sha} | more


def test_a_commit_says_what_it_changes_over_all_its_pages() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            base = {"commit": {"message": "m"}, "parents": [{"sha": "c" * 40}]}
            first = [changed("a", "modified"), changed("b", "removed")]
            second = [changed("d", "renamed", previous_filename="c"), changed("sub", "added", None)]
            path = f"{REPO}/commits/{COMMIT}?per_page=100"
            more = {"link": f'<{fake.origin}{path}&page=2>; rel="next"'}
            fake.on("GET", path, Reply(data=base | {"files": first}, headers=more))
            fake.on("GET", f"{path}&page=2", Reply(data=base | {"files": second}))
            blob = BlobSha("b" * 40)
            expected = {"a": blob, "b": None, "c": None, "d": blob, "sub": None}
            assert await read_commit(client, "zoo/otter", COMMIT) == CommitRead(
                "m", CommitSha("c" * 40), expected, (CommitSha("c" * 40),)
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("parents", [[], [{"sha": "c" * 40}, {"sha": "d" * 40}]])
def test_a_root_and_a_merge_have_no_only_parent(parents: list[dict[str, str]]) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/commits/{COMMIT}", Reply(data={"commit": {"message": ""}, "parents": parents}))
            assert (await read_commit(client, "zoo/otter", COMMIT)).parent is None

    asyncio.run(scenario())


def object_of(sha: str, *parents: str) -> Reply:
    tree, standing_on = {"sha": "e" * 40}, [{"sha": one * 40} for one in parents]
    return Reply(data={"sha": sha, "tree": tree, "parents": standing_on})


@pytest.mark.parametrize("parents", ["", "c", "cd"], ids=["root", "one", "merge"])
def test_a_commits_object_names_its_tree_and_all_its_parents(parents: str) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/git/commits/{COMMIT}", object_of(COMMIT, *parents))
            expected = ("e" * 40, tuple(one * 40 for one in parents))
            assert await read_commit_object(client, "zoo/otter", COMMIT) == expected

    asyncio.run(scenario())


def test_the_object_of_another_commit_is_no_answer() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", f"{REPO}/git/commits/{COMMIT}", object_of("f" * 40, "c"))
            with pytest.raises(BusyError, match="told of another one"):
                await read_commit_object(client, "zoo/otter", COMMIT)

    asyncio.run(scenario())
