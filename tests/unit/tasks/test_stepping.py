"""Promises of plain steps: the server's word on waiting is kept, tries are bounded, refusals pass through."""

import asyncio

import pytest

from bot.errors import RetryableError, UserError
from bot.tasks.stepping import FIRST_WAIT_S, LONGEST_WAIT_S, MAX_TRIES, Json, Patience, PlainSteps, wait_s


class Flaky:
    """Work that fails some times first."""

    def __init__(self, failures: int, after_s: float | None = None) -> None:
        self.failures = failures
        self.after_s = after_s
        self.tries = 0

    async def __call__(self) -> Json:
        self.tries += 1
        if self.tries <= self.failures:
            raise RetryableError("busy", self.after_s)
        return {"done": self.tries}


def take(work: Flaky) -> tuple[Json, list[float]]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    return asyncio.run(PlainSteps(sleep).take("fetch", work)), slept


def test_a_step_that_works_waits_for_nothing() -> None:
    assert take(Flaky(0)) == ({"done": 1}, [])


def test_the_servers_word_on_waiting_is_kept() -> None:
    assert take(Flaky(2, after_s=17.0)) == ({"done": 3}, [17.0, 17.0])


def test_without_a_word_waits_double() -> None:
    assert take(Flaky(3))[1] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S]


def test_tries_are_bounded_and_the_last_reason_is_told() -> None:
    work = Flaky(99)
    with pytest.raises(UserError, match=r"fetch.*busy"):
        take(work)
    assert work.tries == MAX_TRIES


def test_no_wait_is_negative_or_endless() -> None:
    assert wait_s(-5.0, 1) == 0.0
    assert wait_s(1e12, 1) == LONGEST_WAIT_S
    assert wait_s(None, 60) == LONGEST_WAIT_S


def test_a_refusal_is_not_tried_again() -> None:
    tried = []

    async def work() -> Json:
        tried.append(1)
        raise UserError("no permission")

    with pytest.raises(UserError, match="no permission"):
        asyncio.run(PlainSteps().take("publish", work))
    assert tried == [1]


def test_patience_bounds_the_servers_word_too() -> None:
    hasty = Patience(longest_s=0.5)
    assert hasty.wait_s(60.0, 1) == 0.5
    assert hasty.wait_s(0.25, 1) == 0.25
    assert hasty.wait_s(None, 9) == 0.5
