"""Promises of the writing session: reads are repeated, writes never, and the token stays where it belongs."""

import asyncio
import logging
import traceback
from collections.abc import Callable
from typing import TypeVar

import pytest

from bot.domain import CommitSha
from bot.forge.answers import BusyError, RefusedError
from bot.forge.checks import Checks
from bot.forge.endpoint import Endpoint
from bot.forge.issues import OwnIssues
from bot.forge.pulls import Pulls
from bot.forge.secret import Secret
from bot.forge.writes import WriteSession
from bot.publish.ports.checks import CheckConclusion, CheckReport
from tests.unit.forge.fake_github import TOKEN, FakeGitHub, Reply

REPO = "/api/v3/repos/zoo/otter"
REPORT = CheckReport("name", CommitSha("a" * 40), "identity", CheckConclusion.SUCCESS, "title", "summary")
_T = TypeVar("_T")


async def write(fake: FakeGitHub, work: Callable[[WriteSession], _T]) -> _T:
    def step() -> _T:
        with WriteSession(fake.endpoint, Secret(TOKEN), "zoo/otter") as session:
            return work(session)

    return await asyncio.to_thread(step)


def test_a_read_is_repeated_and_signed_with_the_version() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{REPO}/pulls", [Reply(502), Reply(data=[])])
            assert await write(fake, lambda session: Pulls(session).of_branch("a", "main")) == ()
            assert len(fake.seen) == 2
            assert fake.seen[0].headers["X-GitHub-Api-Version"] == "2022-11-28"
            assert fake.seen[0].headers["User-Agent"] == "recalibrate"

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_write_is_sent_once(status: int) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", f"{REPO}/issues", Reply(status, {"message": "no"}, {"retry-after": "9"}))
            with pytest.raises(BusyError) as busy:
                await write(fake, lambda session: OwnIssues(session, "me").open("t", "b"))
            assert busy.value.after_s == 9
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_write_whose_connection_breaks_is_for_later() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            endpoint = fake.endpoint
            await fake.close()

            def step() -> None:
                with WriteSession(endpoint, Secret(TOKEN), "zoo/otter") as session:
                    OwnIssues(session, "me").open("t", "b")

            with pytest.raises(BusyError, match="no answer"):
                await asyncio.to_thread(step)

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_takes_the_token_nowhere(status: int) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as elsewhere:
            there = elsewhere.origin.replace("127.0.0.1", "localhost")
            fake.on("POST", f"{REPO}/issues", Reply(status, {"message": "Moved"}, {"location": f"{there}/stolen"}))
            with pytest.raises((RefusedError, BusyError)):
                await write(fake, lambda session: OwnIssues(session, "me").open("t", "b"))
            assert elsewhere.seen == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "reply", [Reply(201, raw=b"{"), Reply(201, {"number": "x"}), Reply(201, []), Reply(201, raw=b"")]
)
def test_an_answer_that_is_no_issue_is_the_servers_failure(reply: Reply) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", f"{REPO}/issues", reply)
            with pytest.raises(BusyError):
                await write(fake, lambda session: OwnIssues(session, "me").open("t", "b"))

    asyncio.run(scenario())


def test_neither_errors_nor_debug_logs_nor_reprs_show_the_token(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> str:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{REPO}/commits/{'a' * 40}/check-runs", Reply(403, {"message": "Resource not accessible"}))
            shown = []
            for work in (
                lambda session: OwnIssues(session, "me").find("m"),
                lambda session: session.graphql("query { x }", {}),
                lambda session: Checks(session).put(REPORT),
                repr,
            ):
                try:
                    shown.append(str(await write(fake, work)))
                except (RefusedError, BusyError):
                    shown.append(traceback.format_exc())
            return "\n".join(shown)

    with caplog.at_level(logging.DEBUG):
        text = asyncio.run(scenario())
    assert "WriteSession(zoo/otter)" in text
    assert "checks: write" in text
    assert caplog.records
    assert TOKEN not in text + caplog.text


@pytest.mark.parametrize("url", ["https://github.com", "https://zoo.ghe.com", "https://git.zoo:8443/api/v3"])
def test_each_githubs_apis_are_where_the_reading_half_finds_them(url: str) -> None:
    endpoint = Endpoint.of(url)
    with WriteSession(endpoint, Secret("t"), "a/b") as session:
        requester = session.repo.requester
    assert (requester.base_url, requester.graphql_url) == (endpoint.rest, endpoint.graphql)
