"""Promises of a start while GitHub is away: it is asked again until it tells, and a refusal ends the start."""

import asyncio

import pytest

from bot.app.introduced import Introduced
from bot.errors import RetryableError, UserError
from tests.waits import PATIENCE_S


class GitHub:
    """Answers with what it is told to raise, one after another, and then well."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.told = asyncio.Event()

    async def who(self) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.told.set()
        return "recalibrate[bot]"


@pytest.mark.parametrize(
    "later", [RetryableError("away again"), UserError("the App was suspended meanwhile")], ids=["away", "refused"]
)
def test_it_is_asked_again_until_it_tells(later: Exception) -> None:
    async def scenario() -> None:
        github, introduced = GitHub(RetryableError("away"), later), Introduced(again_s=0.0)
        async with introduced.asking(github.who):
            with pytest.raises(RetryableError, match="away"):
                await introduced.answers()
            async with asyncio.timeout(PATIENCE_S):
                await github.told.wait()
            await introduced.answers()

    asyncio.run(scenario())


def test_one_that_never_answers_does_not_hold_up_the_start() -> None:
    async def scenario() -> None:
        introduced = Introduced(start_s=0.01)
        async with introduced.asking(asyncio.Event().wait):
            with pytest.raises(RetryableError, match="no answer"):
                await introduced.answers()

    asyncio.run(scenario())


def test_a_refusal_at_the_start_ends_it() -> None:
    async def scenario() -> None:
        async with Introduced().asking(GitHub(UserError("the private key cannot be read")).who):
            raise AssertionError("it went on")

    with pytest.raises(UserError, match="private key"):
        asyncio.run(scenario())
