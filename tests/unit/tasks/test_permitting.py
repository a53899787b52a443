"""Promises about who may ask: the role as it is now, and a lookup that fails is a no."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from bot.errors import RetryableError, UserError
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.permitting import refusal
from bot.tasks.ports import Forge

WRITERS = ("write", "maintain", "admin")


class Roles:
    """Answers one question of a forge."""

    def __init__(self, answer: str | Exception) -> None:
        self._answer = answer

    async def role(self, login: str) -> str:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def asked(answer: str | Exception) -> Ending | None:
    return asyncio.run(refusal(cast("Forge", Roles(answer)), "mona", WRITERS))


@pytest.mark.parametrize("role", WRITERS)
def test_a_role_of_the_list_may(role: str) -> None:
    assert asked(role) is None


@pytest.mark.parametrize("role", ["none", "read", "triage", "", "WRITE"])
def test_any_other_role_may_not_and_is_named(role: str) -> None:
    assert asked(role) == Ending(OutcomeName.DENIED, role)


@pytest.mark.parametrize("error", [UserError("hidden"), RetryableError("no answer")])
def test_a_lookup_that_fails_is_a_no_of_its_own_name(error: Exception) -> None:
    assert asked(error) == Ending(OutcomeName.UNVERIFIED, str(error))
