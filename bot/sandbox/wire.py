"""Sends one answer of the sandbox: whole, in small pieces, half of it, or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from aiohttp import web

from bot.sandbox.answers import Answer
from bot.sandbox.traffic import Wire

PIECES = 6
PIECE_PAUSE_S = 0.02


async def send(request: web.Request, answer: Answer, headers: Mapping[str, str]) -> web.StreamResponse:
    """The answer with these headers besides its own; a dropped one closes the connection instead."""
    body, kind = _bytes(answer)
    everything = {**headers, **kind, **answer.headers}
    if answer.wire is Wire.WHOLE or request.transport is None:
        return web.Response(status=answer.status, headers=everything, body=body)
    if answer.wire is Wire.DROPPED:
        request.transport.abort()
        return web.Response(status=answer.status)
    response = web.StreamResponse(status=answer.status, headers=everything)
    response.content_length = len(body)
    await response.prepare(request)
    if answer.wire is Wire.SHORT:
        await response.write(body[: len(body) // 2])
        request.transport.close()
        return response
    for piece in _pieces(body):
        await response.write(piece)
        await asyncio.sleep(PIECE_PAUSE_S)
    return response


def _bytes(answer: Answer) -> tuple[bytes, dict[str, str]]:
    if answer.body is None:
        return b"", {}
    if isinstance(answer.body, bytes):
        return answer.body, {}
    return json.dumps(answer.body).encode(), {"Content-Type": "application/json; charset=utf-8"}


def _pieces(body: bytes) -> list[bytes]:
    size = max(1, -(-len(body) // PIECES))
    return [body[start : start + size] for start in range(0, len(body), size)]
