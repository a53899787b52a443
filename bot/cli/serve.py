"""`recalibrate serve`: one process of the service, until it is told to stop, and then gone within a set time.

A first SIGTERM or SIGINT: no connection is taken, requests under way are answered, steps at work end and no
others begin; a task goes on there later. A second signal ends the process at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from bot.app import service
from bot.app.listening import runner_of
from bot.errors import UserError
from bot.logs.start import start_log
from bot.settings import Settings
from bot.tasks.hosts import VIGIL, Vigil

# How long one thread may compute while others wait, in seconds. At Python's 0.005 an answer to a webhook, which comes
# back from the database a dozen times, waits that often behind the tasks at work.
SWITCH_S = 0.0005
ANSWERS_SHARE = 0.2  # of the time for a stop: for requests under way to be answered

log = logging.getLogger(__name__)


async def serve(settings: Settings, told: Callable[[str], None], vigil: Vigil = VIGIL) -> None:
    """Serve until SIGINT or SIGTERM. `told` is given the address once it accepts deliveries; `vigil` is for tests.

    Raises:
        UserError: a setting, the App's key, the address or a database cannot be used.
    """
    start_log(settings.operating, settings.secrets)
    sys.setswitchinterval(SWITCH_S)
    stopped = _signals(settings.operating.stop_s)
    answers_s = settings.operating.stop_s * ANSWERS_SHARE
    async with (
        service(settings, vigil=vigil) as running,
        _listening(running.metrics, "METRICS_", _scraped(settings), answers_s),
        _listening(running.web, "", (settings.host, settings.port), answers_s) as port,
    ):
        told(f"http://{settings.host}:{port}/webhook")
        await stopped.wait()
    log.info("stopped")


def _scraped(settings: Settings) -> tuple[str, int] | None:
    operating = settings.operating
    return (operating.metrics_host, operating.metrics_port) if operating.metrics_port else None


def _signals(stop_s: int) -> asyncio.Event:
    """Set by the first signal, which also bounds what is left of the process's life; the next one finds no handler."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        limit = threading.Timer(stop_s, _end)
        limit.daemon = True
        limit.start()
        log.info("stopping", extra={"within_s": stop_s})  # said when a second signal does what is promised
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    return stopped


def _end() -> None:
    """The time is over: what is still at work is durable, and goes on at the next start."""
    log.warning("stopped at the limit")
    logging.shutdown()
    os._exit(0)


@asynccontextmanager
async def _listening(
    routes: web.Application, variable: str, at: tuple[str, int] | None, answers_s: float
) -> AsyncIterator[int]:
    """Listen at an address (None: nowhere); the port. At the end requests under way have `answers_s` seconds."""
    if at is None:
        yield 0
        return
    runner = runner_of(routes, answers_s)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, *at).start()
        except OSError as error:
            names = f"RECALIBRATE_{variable}HOST and RECALIBRATE_{variable}PORT"
            raise UserError(f"{names}: cannot listen at {at[0]}:{at[1]}: {_why(error)}") from None
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _why(error: OSError) -> str:
    """The system's words: asyncio's repeat the address."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
