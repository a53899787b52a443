"""A connection that failed is told by a reason with its remedy, in both halves, and the manual has each reason."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest
import requests
from urllib3 import HTTPConnectionPool, Retry
from urllib3.connection import HTTPConnection
from urllib3.exceptions import MaxRetryError, NameResolutionError

from bot.forge.transport import NoAnswer, new_session, new_wire, no_answer
from bot.network import DIRECT

ROOT = Path(__file__).resolve().parents[3]
UNRESOLVED = socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, kept from others meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/api/v3/app"


def test_where_nobody_serves_a_read_says_which_setting_to_look_at(nobody: str) -> None:
    async def asked() -> str:
        async with new_session(DIRECT) as session:
            with pytest.raises(aiohttp.ClientError) as failed:
                await session.get(nobody)
            return no_answer(failed.value)

    told = asyncio.run(asked())
    assert told.startswith("host_away (127.0.0.1): ")
    assert "RECALIBRATE_GITHUB_URL" in told


def test_where_nobody_serves_a_write_says_the_same(nobody: str) -> None:
    with new_wire(DIRECT, Retry(0)) as wire, pytest.raises(requests.ConnectionError) as failed:
        wire.get(nobody)
    assert no_answer(failed.value).startswith("host_away: ")


def test_a_name_that_does_not_resolve_is_told_in_both_halves() -> None:
    key = aiohttp.client_reqrep.ConnectionKey("github.invalid", 443, True, True, None, None, None)
    read = aiohttp.ClientConnectorDNSError(key, UNRESOLVED)
    unresolved = NameResolutionError("github.invalid", HTTPConnection("github.invalid"), UNRESOLVED)
    unresolved.__cause__ = UNRESOLVED  # as urllib3 raises it
    write = requests.ConnectionError(MaxRetryError(HTTPConnectionPool("github.invalid"), "/", unresolved))
    assert no_answer(read).startswith("host_unknown (github.invalid): ")
    assert no_answer(write).startswith("host_unknown: ")
    assert "RECALIBRATE_PROXY" in no_answer(read)


def test_what_nobody_can_mend_is_told_by_its_kind() -> None:
    assert no_answer(TimeoutError("secret text")) == "TimeoutError"


@pytest.mark.parametrize("reason", NoAnswer)
def test_the_manual_says_what_each_reason_means(reason: NoAnswer) -> None:
    for page in ("operation.md", "troubleshooting.md"):
        assert f"`{reason.value}`" in (ROOT / "docs" / page).read_text(encoding="utf-8")
