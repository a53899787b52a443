"""Promises of the form that signs out: its token is read within bounds, whatever is sent and however slowly."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol

from bot.dashboard.sign_in import MAX_FORM_BYTES, sent_token


def read(*chunks: bytes, ends: bool = True, within_s: float = 5.0) -> str:
    async def reading() -> str:
        connection = BaseProtocol(asyncio.get_running_loop())
        connection.connection_made(asyncio.Transport())
        body = StreamReader(connection, limit=1 << 16)
        for chunk in chunks:
            body.feed_data(chunk)
        if ends:
            body.feed_eof()
        return await sent_token(body, within_s)

    return asyncio.run(reading())


def test_the_token_is_read_however_it_is_cut() -> None:
    assert read(b"a=1&tok", b"en=abc", b"def&b=2") == "abcdef"


@pytest.mark.parametrize("body", [b"", b"token", b"token=", b"\xff\xfe", b"tok\x00en=a"], ids=repr)
def test_what_is_no_form_of_ours_has_none(body: bytes) -> None:
    assert read(body) == ""


def test_a_form_that_does_not_end_has_none() -> None:
    assert read(b"token=abc", ends=False, within_s=0.05) == ""


def test_no_more_is_read_than_a_form_of_ours_has() -> None:
    assert read(b"x=" + b"y" * MAX_FORM_BYTES, b"&token=abc", ends=False) == ""
