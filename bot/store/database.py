"""The engine and its transactions: one way in for reading, one for writing, on both databases.

No tables here. SQLite runs with a write-ahead log, foreign keys and a busy timeout; a writer takes
its lock when it begins, so that no transaction fails half way because another one came first.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from bot.errors import RetryableError, UserError

SQLITE_BUSY_S = 30.0
IN_CHUNK = 500  # bound parameters of one IN; SQLite before 3.32 takes 999 in all

T = TypeVar("T")


class Database:
    """One engine. Threads may share it; each transaction has its own connection."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # SQLite lets a waiting writer sleep up to 0.1 s between looks; threads of one process queue up instead
        self._turn = threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        # SQLite readers see one state anyway; Postgres would show each statement the newest one
        one_state = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._noting = engine.execution_options(recalibrate_access="note")
        self._reader = engine.execution_options(recalibrate_access="read", **one_state)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads: it sees one state throughout."""
        with _translated(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: all of it or nothing. On SQLite writers go one after another.

        Raises:
            RetryableError: the database is busy, or went away; nothing was written.
        """
        with self._turn, _translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def note(self) -> Iterator[Connection]:
        """The same for what a power cut may take back on SQLite, so that nobody waits for the disk."""
        with self._turn, _translated(), self._noting.begin() as connection:
            yield connection

    def touch(self) -> None:
        """Ask the database for nothing but an answer; errors as `usable`."""
        with self.usable(), self.read() as connection:
            connection.execute(sa.text("SELECT 1"))

    @contextmanager
    def usable(self) -> Iterator[None]:
        """What the database says when it cannot be used becomes a UserError, with its URL without the password."""
        try:
            yield
        except (DBAPIError, RetryableError) as error:
            cause = str(getattr(error, "orig", None) or error.__cause__ or error).strip().splitlines()
            where = self.engine.url.render_as_string(hide_password=True)
            raise UserError(f"the store {where} cannot be used: {cause[0] if cause else 'no reason given'}") from error

    def close(self) -> None:
        """Give every connection back."""
        self.engine.dispose()


def connect(url: str, busy_s: float = SQLITE_BUSY_S) -> Database:
    """The database of a URL: `sqlite:///FILE` or `postgresql://…`. Connects lazily.

    `busy_s` is how long a SQLite writer waits for another one; Postgres queues writers itself.

    Raises:
        UserError: the URL cannot be used, with the reason; never with its password.
    """
    parsed = _parsed(url)
    options: dict[str, Any] = {"hide_parameters": True, "pool_pre_ping": True}
    if parsed.get_backend_name() == "sqlite":
        engine = sa.create_engine(parsed, connect_args={"timeout": busy_s}, **options)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    else:
        engine = sa.create_engine(parsed, **options)
    return Database(engine)


def _parsed(url: str) -> URL:
    try:
        parsed = sa.make_url(url.replace("postgres://", "postgresql://", 1))
        name = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise UserError("the store's URL cannot be read; write sqlite:///FILE or postgresql://HOST/DATABASE") from None
    if name == "sqlite":
        if not parsed.database or parsed.database == ":memory:" or parsed.query:
            raise UserError("the store needs a file: write sqlite:///FILE, without options")
        _private_file(Path(parsed.database))
        return parsed.set(drivername="sqlite+pysqlite")
    if name == "postgresql":
        if "@" in (parsed.host or ""):  # the rest of a password, which no message may show
            raise UserError("the store's URL has an @ in its password; write %40 for it")
        return parsed.set(drivername="postgresql+psycopg")
    raise UserError(f"the store knows sqlite and postgresql, not {name}")


def _private_file(path: Path) -> None:
    """Create a missing file for this user alone: it holds names from private repositories."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise UserError(f"the store's file cannot be opened: {path}: {error.strerror}") from None


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # we begin ourselves, in _begin_sqlite
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows ASCII alone
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def _lower(text: str | None) -> str | None:
    return text.lower() if isinstance(text, str) else text


def _begin_sqlite(connection: Connection) -> None:
    access = connection.get_execution_options().get("recalibrate_access")
    # FULL: what is committed is on the disk (https://sqlite.org/pragma.html#pragma_synchronous)
    connection.exec_driver_sql(f"PRAGMA synchronous = {'NORMAL' if access == 'note' else 'FULL'}")
    connection.exec_driver_sql("BEGIN" if access == "read" else "BEGIN IMMEDIATE")


@contextmanager
def _translated() -> Iterator[None]:
    """Errors that pass by themselves become retryable; the rest are ours and stay as they are."""
    try:
        yield
    except DBAPIError as error:
        if error.connection_invalidated or _passes(error.orig):
            raise RetryableError(f"the store {_trouble(error.orig)}: {type(error.orig).__name__}") from error
        raise


def _trouble(error: BaseException | None) -> str:
    """What to say of it: a disk is made room on by a person, the rest passes by itself."""
    full = getattr(error, "sqlite_errorname", "") == "SQLITE_FULL" or getattr(error, "sqlstate", "") == "53100"
    return "has no room left on its disk; make some, and it goes on" if full else "is busy or away"


def _passes(error: BaseException | None) -> bool:
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL"))
    state = getattr(error, "sqlstate", "")
    # Postgres classes: 08 connection, 40 rollback (deadlock, serialization), 53 resources, 57P shutdown;
    # psycopg leaves the state empty where the server could not be reached at all
    return type(error).__name__ == "OperationalError" if not state else state[:2] in ("08", "40", "53", "57")


# ------------------------------------------------------------------------------------- statements


def upsert(
    connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]], keep: Iterable[str] = ()
) -> None:
    """Insert rows, or update those whose primary key is there already; columns in `keep` stay as they were."""
    if not rows:
        return
    key = [column.name for column in table.primary_key]
    ordered = sorted(rows, key=lambda row: [row[name] for name in key])  # one order for all: no deadlocks
    statement = _insert(connection, table)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in {*key, *keep}}
    if changed:
        statement = statement.on_conflict_do_update(index_elements=key, set_=changed)
    else:
        statement = statement.on_conflict_do_nothing()
    connection.execute(statement, ordered)


def insert_new(connection: Connection, table: sa.Table, row: Mapping[str, Any]) -> bool:
    """Insert a row; False where its primary key was there already. Of two at once one is told True."""
    statement = _insert(connection, table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    result = connection.execute(statement, dict(row))
    return result.rowcount == 1


def _insert(connection: Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Values in lists short enough for one IN."""
    rest = list(values)
    for start in range(0, len(rest), IN_CHUNK):
        yield rest[start : start + IN_CHUNK]
