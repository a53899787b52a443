"""`recalibrate backup`: the service's SQLite files copied while it serves, each as it was at one moment.

The tasks' file is copied first: a task that then seems less far than the store knows does a step again, which
every step allows for; one that seemed further would miss what it wrote. Restoring is putting the files back.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from bot.errors import UserError
from bot.settings import databases_of

SQLITE = "sqlite:///"
QUEUE_COPY, STORE_COPY = "queue.sqlite", "recalibrate.sqlite"
LOCKED_S = 30.0  # how long a file may stay locked; with a write-ahead log no writer locks it for reading

Say = Callable[[str], None]


def backup(environment: Mapping[str, str], folder: Path, say: Say) -> None:
    """Copy both files into a folder of their own and say where they are.

    Raises:
        UserError: a database is not SQLite or has no file yet, the folder holds something, or a copy failed.
    """
    databases = databases_of(environment)
    sources = {QUEUE_COPY: _file(databases.queue_url, "QUEUE"), STORE_COPY: _file(databases.store_url, "DATABASE")}
    _prepare(folder)
    for name, source in sources.items():
        try:
            copy(source, folder / name)
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"{source}: cannot be copied to {folder}: {error}") from None
        say(f"{folder / name}: {(folder / name).stat().st_size} bytes")


def copy(source: Path, target: Path, locked_s: float = LOCKED_S) -> None:
    """One file as it is at this moment, its write-ahead log included; writers are not kept waiting.

    `target` appears only when it is whole. Raises sqlite3.Error or OSError, and leaves nothing behind.
    """
    part = target.with_name(f"{target.name}.part")
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        from_uri = f"{source.as_uri()}?mode=rw"
        with (
            closing(sqlite3.connect(from_uri, uri=True, timeout=0)) as present,
            closing(sqlite3.connect(part)) as taken,
        ):
            present.backup(taken, progress=_patience(locked_s))  # all pages in one step: one state
            found = taken.execute("PRAGMA quick_check").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {found}")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _patience(locked_s: float) -> Callable[[int, int, int], None]:
    """Ends a copy that has not begun in time: by itself `Connection.backup` waits for ever."""
    until = time.monotonic() + locked_s

    def tried(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise sqlite3.OperationalError(f"it has been locked for {locked_s:g} s; is another program at work on it?")

    return tried


def _file(url: str, variable: str) -> Path:
    if not url.startswith(SQLITE):
        raise UserError(f"RECALIBRATE_{variable}_URL: not SQLite; back it up with pg_dump, see docs/operation.md")
    path = Path(url.removeprefix(SQLITE)).resolve()
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; give the environment of the service")
    return path


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"{folder}: holds something already; give a folder of its own for each backup")
    except OSError as error:
        raise UserError(f"{folder}: cannot be used: {error.strerror}") from None
