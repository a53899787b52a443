"""How the service takes requests: bodies as they were sent, and no traceback for what is no HTTP.

A signature is over the bytes that were sent, so nothing is unpacked before it is checked. What is answered is the
routes' part.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

log = logging.getLogger(__name__)


class _Faults(logging.LoggerAdapter[logging.Logger]):
    """The library's log without what a stranger can write into it: a request that is no HTTP is answered 400."""

    def exception(self, msg: object, *args: object, **more: Any) -> None:
        """Only what is a fault of the service."""
        if not isinstance(more.get("exc_info"), HttpProcessingError):
            super().exception(msg, *args, **more)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """As it is."""
        return msg, kwargs


def runner_of(routes: web.Application, answers_s: float) -> web.AppRunner:
    """What serves the routes; at its end requests under way have `answers_s` seconds."""
    return web.AppRunner(
        routes, access_log=None, shutdown_timeout=answers_s, auto_decompress=False, logger=_Faults(log)
    )
