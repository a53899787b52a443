"""What a task begins with: one question where GitHub answers it whole, the repository alone where it does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.domain import CommitSha, RepositoryId, blob_sha
from bot.forge.beginning import BeginningRead, read_beginning
from bot.records.repositories import Repository
from tests.unit.forge.fake_github import FakeGitHub, Reply, reading

REPO = "/api/v3/repos/zoo/otter"
TIP = CommitSha("a" * 40)
FILE = b"version: 1\n"
OTTER = Repository(RepositoryId(5), "zoo/Otter", None, "main", private=True)
BY_REST = {"id": 5, "full_name": "zoo/Otter", "default_branch": "main", "private": True}
FORBIDDEN = {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}


def whole(**more: Any) -> dict[str, Any]:
    blob = {"oid": blob_sha(FILE), "isTruncated": False, "text": FILE.decode()}
    target = {"oid": TIP, "file": {"object": blob}}
    known = {"databaseId": 5, "nameWithOwner": "zoo/Otter", "isPrivate": True, "isArchived": False}
    branch = {"name": "main", "target": target}
    return {"data": {"repository": {**known, "defaultBranchRef": branch, **more}}}


def begun(answer: object) -> tuple[BeginningRead, list[str]]:
    """What is read where GraphQL says this, and the paths that were asked."""

    async def scenario() -> tuple[BeginningRead, list[str]]:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("POST", "/api/graphql", Reply(data=answer))
            fake.on("GET", REPO, Reply(data=BY_REST))
            return await read_beginning(client, "zoo/otter"), fake.paths()

    return asyncio.run(scenario())


def test_one_question_gives_the_repository_the_tip_and_the_configuration() -> None:
    assert begun(whole()) == (BeginningRead(OTTER, TIP, FILE), ["/api/graphql"])


def test_a_base_without_the_file_has_no_configuration() -> None:
    branch = {"name": "main", "target": {"oid": TIP, "file": None}}
    assert begun(whole(defaultBranchRef=branch))[0] == BeginningRead(OTTER, TIP, None)


@pytest.mark.parametrize(
    "answer",
    [FORBIDDEN, {"data": {"repository": None}}, whole(defaultBranchRef=None), whole(databaseId=None)],
    ids=["forbidden", "hidden", "empty", "without-its-number"],
)
def test_without_a_whole_answer_the_repository_alone_is_looked_up(answer: object) -> None:
    assert begun(answer) == (BeginningRead(OTTER), ["/api/graphql", REPO])
