"""The last step of GitHub's manifest flow: a code from the browser is exchanged for the App that was made.

docs.github.com, "Registering a GitHub App from a manifest": no credential, once, within the hour of the code's making.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass

import aiohttp
from pydantic import ValidationError

from bot.errors import UserError
from bot.forge.answers import Answer, BusyError, problem
from bot.forge.client import bounded
from bot.forge.endpoint import API_VERSION, USER_AGENT, Endpoint
from bot.forge.payloads.apps import ConversionPayload
from bot.forge.secret import Secret
from bot.forge.transport import no_answer

ANSWER_S = 60.0
CODE = re.compile(r"[A-Za-z0-9_-]{1,200}\Z")
_NAMED = "POST /app-manifests/conversions"  # without the code, which is a secret until it was used
_HEADERS = {"accept": "application/vnd.github+json", "user-agent": USER_AGENT, "x-github-api-version": API_VERSION}


@dataclass(frozen=True, slots=True)
class MadeApp:
    """An App that GitHub has just made, with the secrets that it tells this once."""

    app_id: int
    slug: str
    html_url: str
    client_id: str
    private_key: Secret
    webhook_secret: Secret
    client_secret: Secret

    @property
    def install_url(self) -> str:
        """Where its owner installs it."""
        return f"{self.html_url}/installations/new"


async def convert(session: aiohttp.ClientSession, endpoint: Endpoint, code: str) -> MadeApp:
    """Exchange a code of the form `CODE`.

    Raises:
        RefusedError: the code is not known, was used, or is too old.
        BusyError: GitHub did not answer, or not with an App. Whether the code is used up is not known.
        UserError: the App has no webhook secret.
    """
    url = f"{endpoint.rest}/app-manifests/{code}/conversions"
    asking = session.post(url, headers=_HEADERS, allow_redirects=False)
    try:
        async with asyncio.timeout(ANSWER_S), asking as response:
            answer = Answer(response.status, response.headers, await bounded(response))
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise BusyError(f"{_NAMED}: no answer: {no_answer(error)}") from None
    if answer.status != 201:
        raise problem(_NAMED, answer, time.time())
    try:
        found = ConversionPayload.model_validate_json(answer.body)
    except ValidationError:
        raise BusyError(f"{_NAMED}: unreadable answer") from None
    return _made(found)


def _made(found: ConversionPayload) -> MadeApp:
    if not found.webhook_secret:
        raise UserError(f"GitHub made the App {found.html_url} without a webhook secret; delete it, and set up again")
    return MadeApp(
        found.id,
        found.slug,
        found.html_url,
        found.client_id,
        Secret(found.pem),
        Secret(found.webhook_secret),
        Secret(found.client_secret),
    )
