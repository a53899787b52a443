"""Promises of the reading client: bounded repeats of reads, and a credential that goes nowhere else."""

import asyncio
import traceback
from typing import Any

import pytest
from pydantic import BaseModel, RootModel

from bot.errors import InternalError
from bot.forge.answers import BusyError, RefusedError
from tests.unit.forge.fake_github import TOKEN, FakeGitHub, ManualTime, Reply, StaticCredential, reading

API = "/api/v3"


class Thing(BaseModel):
    id: int


class Things(RootModel[tuple[Thing, ...]]):
    pass


def test_a_request_carries_the_version_the_agent_and_the_credential() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/thing", Reply(data={"id": 1, "new_key": True}))
            async with reading(fake) as client:
                assert await client.get(Thing, "/thing") == Thing(id=1)
            headers = fake.seen[0].headers
            assert headers["X-GitHub-Api-Version"] == "2022-11-28"
            assert headers["User-Agent"] == "recalibrate"
            assert headers["Authorization"] == f"Bearer {TOKEN}"

    asyncio.run(scenario())


def test_a_read_is_repeated_until_it_is_answered() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on(
                "GET", f"{API}/thing", [Reply(502), Reply(429, headers={"retry-after": "7"}), Reply(data={"id": 1})]
            )
            time = ManualTime()
            async with reading(fake, time) as client:
                assert await client.get(Thing, "/thing") == Thing(id=1)
            assert len(fake.seen) == 3
            assert 0.5 <= time.slept[0] <= 0.75
            assert time.slept[1] == 7.0

    asyncio.run(scenario())


def test_the_pauses_of_a_dead_server_grow_and_end() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/thing", Reply(500, {"message": "down"}))
            time = ManualTime()
            async with reading(fake, time) as client:
                with pytest.raises(BusyError, match="500"):
                    await client.get(Thing, "/thing")
            assert len(fake.seen) == 4
            assert len(time.slept) == 3
            assert time.slept[0] < time.slept[1] < time.slept[2]

    asyncio.run(scenario())


def test_a_wait_longer_than_a_read_may_take_is_handed_to_the_caller_unslept() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/thing", Reply(403, {"message": "no"}, {"retry-after": "600"}))
            time = ManualTime()
            async with reading(fake, time) as client:
                with pytest.raises(BusyError) as busy:
                    await client.get(Thing, "/thing")
            assert busy.value.after_s == 600
            assert time.slept == []
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_missing_permission_is_not_asked_for_twice() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on(
                "GET",
                f"{API}/repos/a/b/actions/runs/1",
                Reply(403, {"message": "Resource not accessible by integration"}),
            )
            async with reading(fake) as client:
                with pytest.raises(RefusedError, match="actions: read"):
                    await client.get(Thing, "/repos/a/b/actions/runs/1")
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_post_is_sent_once_however_it_ends() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", f"{API}/thing", Reply(502))
            async with reading(fake) as client:
                with pytest.raises(BusyError):
                    await client.post("/thing", data={})
            assert len(fake.seen) == 1

    asyncio.run(scenario())


def test_a_graphql_question_is_a_read() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", "/api/graphql", [Reply(502), Reply(data={"data": {"viewer": 1}})])
            async with reading(fake) as client:
                assert await client.query("query { viewer }") == {"viewer": 1}
            assert len(fake.seen) == 2

    asyncio.run(scenario())


def test_a_broken_connection_is_a_busy_server() -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, reading(fake, time) as client:
            await fake.close()
            with pytest.raises(BusyError, match="no answer"):
                await client.get(Thing, "/thing")
            assert len(time.slept) == 3

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed_to_another_host(status: int) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as elsewhere:
            fake.on("GET", f"{API}/thing", Reply(status, {}, {"location": f"{elsewhere.origin}/stolen"}))
            async with reading(fake) as client:
                with pytest.raises(RefusedError, match="new name"):
                    await client.get(Thing, "/thing")
            assert elsewhere.seen == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "status", "followed"),
    [("GET", 301, True), ("GET", 308, True), ("GET", 302, False), ("GET", 307, False), ("POST", 301, False)],
)
def test_a_read_alone_goes_to_the_new_name_of_what_was_renamed_for_good(
    method: str, status: int, followed: bool
) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on(method, f"{API}/thing", Reply(status, {}, {"location": f"{fake.origin}{API}/renamed"}))
            fake.on(method, f"{API}/renamed", Reply(data={"id": 1}))
            async with reading(fake) as client:
                ask = client.get(Thing, "/thing") if method == "GET" else client.post("/thing", data={})
                await asyncio.gather(ask, return_exceptions=True)
            assert fake.paths()[1:] == ([f"{API}/renamed"] if followed else [])

    asyncio.run(scenario())


def test_a_next_page_on_another_host_gets_no_credential() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as elsewhere:
            link = {"link": f'<{elsewhere.origin}/page2>; rel="next"'}
            fake.on("GET", f"{API}/things", Reply(data=[{"id": 1}], headers=link))
            async with reading(fake) as client:
                with pytest.raises(InternalError, match="credential"):
                    [page async for page in client.pages(Things, "/things")]
            assert elsewhere.seen == []

    asyncio.run(scenario())


def test_a_list_that_never_ends_is_given_up() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on(
                "GET", f"{API}/things", Reply(data=[], headers={"link": f'<{fake.origin}{API}/things>; rel="next"'})
            )
            async with reading(fake) as client:
                with pytest.raises(RefusedError, match="pages"):
                    [page async for page in client.pages(Things, "/things")]
            assert len(fake.seen) == 200

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b"{"),
        Reply(raw=b"<html>", content_type="text/html"),
        Reply(data={"id": "x"}),
        Reply(raw=b'"\xff"'),
        Reply(raw=b""),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_the_servers_failure(reply: Reply) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/thing", reply)
            async with reading(fake) as client:
                with pytest.raises(BusyError, match="unreadable"):
                    await client.get(Thing, "/thing")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "reply", [Reply(raw=b"{"), Reply(raw=b"<html>", content_type="text/html"), Reply(data={}), Reply(data={"data": []})]
)
def test_a_graphql_answer_that_is_not_one_is_the_servers_failure(reply: Reply) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("POST", "/api/graphql", reply)
            async with reading(fake) as client:
                with pytest.raises(BusyError):
                    await client.query("query { viewer }")

    asyncio.run(scenario())


@pytest.mark.parametrize(("renewable", "calls"), [(True, 2), (False, 1)])
def test_a_rejected_token_is_renewed_where_one_can_be_had(renewable: bool, calls: int) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/thing", [Reply(401, {"message": "Bad credentials"}), Reply(data={"id": 1})])
            credential = StaticCredential(renewable=renewable)
            async with reading(fake, credential=credential) as client:
                if renewable:
                    await client.get(Thing, "/thing")
                else:
                    with pytest.raises(RefusedError, match="rejected the credentials"):
                        await client.get(Thing, "/thing")
            assert len(fake.seen) == calls

    asyncio.run(scenario())


def test_no_error_and_no_repr_shows_the_token() -> None:
    async def scenario(path: str, method: str = "get") -> str:
        async with FakeGitHub() as fake:
            fake.on("GET", f"{API}/refused", Reply(403, {"message": "no"}))
            fake.on("GET", f"{API}/html", Reply(raw=b"x", content_type="text/html"))
            async with reading(fake) as client:
                call: Any = client.query if method == "query" else client.get
                try:
                    await (call("query { x }") if method == "query" else call(Thing, path))
                except (RefusedError, BusyError):
                    return traceback.format_exc() + repr(client)
        return ""

    texts = [asyncio.run(scenario(p)) for p in ("/refused", "/html", "/missing")] + [asyncio.run(scenario("", "query"))]
    assert all("Error" in text for text in texts)
    assert not any(TOKEN in text for text in texts)
