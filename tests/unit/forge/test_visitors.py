"""What is asked with a visitor's token: every refusal has its meaning, and no answer is waited for too long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.dashboard.ports import Errand, NotSignedInError, Person, TokenEndedError
from bot.domain import RepositoryId
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import RetryPolicy
from bot.forge.endpoint import Endpoint
from bot.forge.transport import new_session
from bot.forge.visitors import MAX_ANSWER_BYTES, POLICY, GitHubVisitors, OAuthClient
from bot.network import DIRECT
from bot.records.repositories import Repository
from tests.unit.forge.fake_github import FakeGitHub, Reply

CLIENT = OAuthClient("Iv23abc", "planted-secret", "https://ci.example.org/pages/signed-in")
OTTER = Repository(RepositoryId(7), "zoo/otter", 1)
ERRAND = Errand("s", "v")
REPO, USER = "/api/v3/repos/zoo/otter", "/api/v3/user"
TOKEN, APP = "/login/oauth/access_token", "/api/v3/applications/Iv23abc/token"


@asynccontextmanager
async def visitors(endpoint: Endpoint, policy: RetryPolicy = POLICY) -> AsyncIterator[GitHubVisitors]:
    async with new_session(DIRECT) as session:
        yield GitHubVisitors(session, endpoint, CLIENT, policy)


def may_read(reply: Reply) -> bool:
    async def asking() -> bool:
        async with FakeGitHub() as fake:
            fake.on("GET", REPO, reply)
            async with visitors(fake.endpoint) as ask:
                return await ask.may_read("t", OTTER)

    return asyncio.run(asking())


def person(reply: Reply) -> Person:
    async def asking() -> Person:
        async with FakeGitHub() as fake:
            fake.on("GET", USER, reply)
            async with visitors(fake.endpoint) as ask:
                return await ask.person("t")

    return asyncio.run(asking())


def found(number: int) -> Reply:
    owner = {"id": 1, "login": "zoo"}
    return Reply(
        data={"id": number, "full_name": "zoo/otter", "default_branch": "main", "private": True, "owner": owner}
    )


def test_a_repository_is_read_under_its_id_and_no_other() -> None:
    assert may_read(found(7))
    assert not may_read(found(8))


@pytest.mark.parametrize("status", [403, 404, 410, 451])
def test_any_refusal_is_a_no(status: int) -> None:
    assert not may_read(Reply(status, {"message": "no"}))


def test_a_person_is_known_by_the_number_beside_the_login() -> None:
    assert person(Reply(data={"id": 583231, "login": "octocat"})) == Person(583231, "octocat")


def test_a_token_that_is_refused_has_ended() -> None:
    with pytest.raises(TokenEndedError):
        may_read(Reply(401, {"message": "Bad credentials"}))


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_token_that_names_nobody_has_ended(status: int) -> None:
    with pytest.raises(TokenEndedError):
        person(Reply(status, {"message": "Sorry. Your account was suspended"}))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(data={"error": "bad_verification_code"}),
        Reply(404, {"message": "Not Found"}),
        Reply(raw=b"<html>"),
        Reply(raw=b"[" * (MAX_ANSWER_BYTES + 1)),
        Reply(302, headers={"location": "https://elsewhere.invalid/"}),
    ],
    ids=["refused", "unknown", "page", "endless", "redirect"],
)
def test_what_is_no_token_signs_nobody_in(reply: Reply) -> None:
    async def asking() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", TOKEN, reply)
            async with visitors(fake.endpoint) as ask:
                with pytest.raises(NotSignedInError):
                    await ask.token("code", ERRAND)

    asyncio.run(asking())


def test_a_token_that_is_worthless_already_is_taken_back_and_a_wrong_secret_is_told() -> None:
    async def asking() -> None:
        async with FakeGitHub() as fake, visitors(fake.endpoint) as ask:
            for status in (204, 404, 422):
                fake.on("DELETE", APP, Reply(status, {}))
                await ask.take_back("t")
            fake.on("DELETE", APP, Reply(401, {}))
            with pytest.raises(RefusedError):
                await ask.take_back("t")

    asyncio.run(asking())


def test_nobody_waits_for_a_github_that_does_not_answer() -> None:
    async def asking() -> list[type[BaseException]]:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            endpoint = Endpoint.of(f"http://127.0.0.1:{silent.getsockname()[1]}")
            async with visitors(endpoint, RetryPolicy(attempts=2, total_s=0.1)) as ask:
                questions = (ask.person("t"), ask.may_read("t", OTTER), ask.token("c", ERRAND), ask.take_back("t"))
                answers = await asyncio.gather(*questions, return_exceptions=True)
        return [type(one) for one in answers if isinstance(one, BaseException)]

    assert asyncio.run(asking()) == [BusyError] * 4
