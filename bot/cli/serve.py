"""`recalibrate serve`: the receiver and the worker in one process, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable

from aiohttp import web

from bot.app import service
from bot.cli.log_lines import DataLines
from bot.settings import Settings
from bot.tasks.hosts import VIGIL, Vigil

SHUTDOWN_S = 30.0


async def serve(settings: Settings, told: Callable[[str], None], vigil: Vigil = VIGIL) -> None:
    """Serve until SIGINT or SIGTERM. `told` is given the address once it accepts deliveries; `vigil` is for tests.

    Raises:
        UserError: a setting, the App's key, the address or a database cannot be used.
    """
    lines = logging.StreamHandler()
    lines.setFormatter(DataLines())
    logging.basicConfig(level=logging.INFO, handlers=[lines])
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with service(settings, vigil=vigil) as running:
        runner = web.AppRunner(running.web, access_log=None, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        try:
            site = web.TCPSite(runner, settings.host, settings.port)
            await site.start()
            port = runner.addresses[0][1]
            told(f"http://{settings.host}:{port}/webhook")
            await stopped.wait()
        finally:
            await runner.cleanup()
