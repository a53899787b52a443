"""Promises about tokens: narrowed to a step, kept no longer than they are good, and never shown."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.domain import RepositoryId
from bot.errors import UserError
from bot.forge import auth as auth_module
from bot.forge.answers import BusyError, RefusedError
from bot.forge.auth import AppAuth, AppKey
from bot.forge.grants import CHECKS, PUBLISH, READ
from bot.forge.secret import Secret
from bot.forge.tokens import GivenToken, Granted
from bot.forge.transport import new_session
from bot.network import DIRECT
from tests.unit.forge.fake_github import FakeGitHub, ManualTime, Reply

MINT = "/api/v3/app/installations/7/access_tokens"


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


@asynccontextmanager
async def app(fake: FakeGitHub, key: rsa.RSAPrivateKey, time: ManualTime) -> AsyncIterator[AppAuth]:
    async with new_session(DIRECT) as session:
        yield AppAuth(session, fake.endpoint, AppKey("42", Secret(pem(key))), time.policy())


def minted(time: ManualTime, number: int, seconds: int = 3600) -> Reply:
    end = datetime.fromtimestamp(time.now, UTC) + timedelta(seconds=seconds)
    return Reply(201, {"token": f"ghs_{number}", "expires_at": end.isoformat(), "permissions": {}})


def test_a_token_is_asked_for_with_the_steps_permissions_and_repositories_only(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, minted(time, 1))
            tokens = auth.installation(7)
            await tokens.token(PUBLISH.on(RepositoryId(5)))
            await tokens.token(CHECKS.named("zoo/otter"))
            assert [item.data for item in fake.seen] == [
                {
                    "permissions": {"contents": "write", "issues": "write", "pull_requests": "write"},
                    "repository_ids": [5],
                },
                {"permissions": {"checks": "write", "metadata": "read"}, "repositories": ["otter"]},
            ]

    asyncio.run(scenario())


def test_the_app_signs_as_itself(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("GET", "/api/v3/app", Reply(data={"id": 42, "slug": "recalibrate"}))
            assert (await auth.me()).slug == "recalibrate"
            scheme, _, token = fake.seen[0].headers["Authorization"].partition(" ")
            claims = jwt.decode(token, key.public_key(), algorithms=["RS256"])
            assert scheme == "Bearer"
            assert claims["iss"] == "42"
            assert claims["exp"] - claims["iat"] <= 600

    asyncio.run(scenario())


def test_a_token_is_kept_until_five_minutes_before_its_end(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, [minted(time, 1), minted(time, 2, 9999)])
            tokens = auth.installation(7)
            first = await tokens.token(READ)
            time.now += 3300
            assert await auth.installation(7).token(READ) == first
            time.now += 1
            assert (await tokens.token(READ)).reveal() == "ghs_2"
            assert len(fake.seen) == 2

    asyncio.run(scenario())


def test_each_grant_has_its_own_token(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, [minted(time, 1), minted(time, 2)])
            tokens = auth.installation(7)
            assert (await tokens.token(READ)) != (await tokens.token(READ.on(RepositoryId(5))))

    asyncio.run(scenario())


def test_a_forgotten_token_is_replaced(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, [minted(time, 1), minted(time, 2)])
            granted = Granted(auth.installation(7), READ)
            assert await granted.authorization() == "Bearer ghs_1"
            assert granted.forget()
            assert await granted.authorization() == "Bearer ghs_2"

    asyncio.run(scenario())


def test_a_token_that_is_revoked_under_two_readers_is_replaced_for_both(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, [minted(time, 1), minted(time, 2), minted(time, 3)])
            tokens = auth.installation(7)
            one, other = Granted(tokens, READ), Granted(tokens, READ)
            assert await one.authorization() == await other.authorization() == "Bearer ghs_1"
            assert one.forget()
            assert other.forget()  # before the first one has its new token
            assert await one.authorization() == await other.authorization() == "Bearer ghs_2"

    asyncio.run(scenario())


@pytest.mark.parametrize(("status", "word"), [(422, "checks: write"), (404, "removed"), (401, "private key")])
def test_a_refused_token_says_what_to_grant(key: rsa.RSAPrivateKey, status: int, word: str) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, app(fake, key, ManualTime()) as auth:
            fake.on("POST", MINT, Reply(status, {"message": "no"}))
            with pytest.raises(RefusedError, match=word):
                await auth.installation(7).token(CHECKS)

    asyncio.run(scenario())


def test_a_token_answer_without_a_token_is_the_servers_failure(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, app(fake, key, ManualTime()) as auth:
            fake.on("POST", MINT, Reply(201, {"token": "ghs_1"}))
            with pytest.raises(BusyError) as busy:
                await auth.installation(7).token(CHECKS)
            assert "ghs_1" not in str(busy.value)

    asyncio.run(scenario())


def test_a_repository_without_the_app_is_told_apart(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, app(fake, key, ManualTime()) as auth:
            fake.on("GET", "/api/v3/repos/zoo/otter/installation", Reply(data={"id": 7}))
            assert await auth.installation_id("zoo/otter") == 7
            with pytest.raises(RefusedError, match="not installed on zoo/lynx"):
                await auth.installation_id("zoo/lynx")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "text", ["", "not a key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"]
)
def test_an_unreadable_private_key_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(UserError, match="PEM") as refusal:
        asyncio.run(AppKey("42", Secret(text)).authorization())
    assert refusal.value.__cause__ is None
    assert not text or text not in str(refusal.value)


def test_a_private_key_is_read_once_however_often_it_signs(key: rsa.RSAPrivateKey) -> None:
    read = auth_module._read.cache_info().misses
    signed = {asyncio.run(AppKey(app, Secret(pem(key))).authorization()) for app in ("41", "42", "43")}
    assert len(signed) == 3
    assert auth_module._read.cache_info().misses - read <= 1


def test_nothing_that_holds_a_secret_shows_it(key: rsa.RSAPrivateKey) -> None:
    async def scenario() -> str:
        time = ManualTime()
        async with FakeGitHub() as fake, app(fake, key, time) as auth:
            fake.on("POST", MINT, minted(time, 1))
            tokens = auth.installation(7)
            secret = await tokens.token(READ)
            shown = [secret, tokens, auth, Granted(tokens, READ), GivenToken(secret), AppKey("42", Secret(pem(key)))]
            return " ".join([*map(repr, shown), *map(str, shown), f"{secret}"])

    text = asyncio.run(scenario())
    assert "ghs_1" not in text
    assert "PRIVATE" not in text
