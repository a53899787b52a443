"""Promises about a token that was given: it serves every step, and its login is known."""

import asyncio

import pytest

from bot.forge.answers import RefusedError
from bot.forge.grants import READ
from bot.forge.secret import Secret
from bot.forge.tokens import GivenToken, login_of_token
from tests.unit.forge.fake_github import FakeGitHub, Reply, reading


def test_a_given_token_serves_every_step() -> None:
    given = GivenToken(Secret("ghp_x"))
    assert asyncio.run(given.token(READ)).reveal() == "ghp_x"
    assert not given.forget(READ)


@pytest.mark.parametrize(
    ("reply", "login"),
    [
        (Reply(data={"login": "ann"}), "ann"),
        (Reply(403, {"message": "Resource not accessible"}), "github-actions[bot]"),
    ],
)
def test_a_given_tokens_login_is_the_one_its_texts_carry(reply: Reply, login: str) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", "/api/v3/user", reply)
            assert await login_of_token(client) == login

    asyncio.run(scenario())


def test_a_token_that_is_not_valid_has_no_login() -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", "/api/v3/user", Reply(401, {"message": "Bad credentials"}))
            with pytest.raises(RefusedError, match="rejected"):
                await login_of_token(client)

    asyncio.run(scenario())
