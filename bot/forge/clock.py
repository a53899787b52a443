"""What time it is for GitHub: the `Date` header of any answer, asked without a credential.

A JWT is refused where clocks differ, so this question comes before every signed one.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp

from bot.forge.answers import BusyError
from bot.forge.endpoint import USER_AGENT, Endpoint
from bot.forge.transport import no_answer

ANSWER_S = 20.0
PATH = "/rate_limit"  # costs nothing of any limit; whatever its status, it has a date


async def github_time(session: aiohttp.ClientSession, endpoint: Endpoint) -> datetime:
    """GitHub's time in UTC, to the second.

    Raises:
        BusyError: nobody answers there, or not with a date.
    """
    asking = session.get(endpoint.rest + PATH, headers={"user-agent": USER_AGENT}, allow_redirects=False)
    try:
        async with asyncio.timeout(ANSWER_S), asking as answer:
            said = answer.headers.get("Date", "")
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise BusyError(f"GET {PATH}: no answer: {no_answer(error)}") from None
    try:
        return parsedate_to_datetime(said).astimezone(UTC)
    except ValueError:
        raise BusyError(f"GET {PATH}: an answer without a date") from None
