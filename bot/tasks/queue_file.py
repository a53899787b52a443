"""The durable engine's SQLite file, made ready before the engine opens it.

The engine (dbos 3.4) leaves SQLite's rollback journal on, under which every reader stops every
writer; with a write-ahead log, which the file itself remembers, an answer to a webhook does not
wait for the tasks at work. What is committed is still on disk before it is answered.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from bot.errors import UserError

SQLITE = "sqlite:///"


def prepare(database_url: str) -> None:
    """Create a missing file for this user alone, and switch its write-ahead log on. Other databases need nothing.

    Raises:
        UserError: the file cannot be opened, with the reason.
    """
    if not database_url.startswith(SQLITE):
        return
    path = Path(database_url.removeprefix(SQLITE))
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"the queue's file cannot be used: {path}: {error}") from None
