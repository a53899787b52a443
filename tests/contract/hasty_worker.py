"""`recalibrate serve --role worker` that takes a silent process for gone after seconds, not a minute. Not a test."""

from __future__ import annotations

import asyncio
import os

from bot.cli.serve import serve
from bot.records.work import ProcessRole
from bot.settings import server_settings
from bot.tasks.hosts import Vigil

if __name__ == "__main__":
    settings = server_settings(os.environ, ProcessRole.WORKER)
    asyncio.run(serve(settings, lambda address: print(address, flush=True), Vigil(0.2, 1.5)))
