"""Promises of the engine's SQLite file."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.tasks.queue_file import prepare


def mode(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    finally:
        connection.close()


def test_a_reader_of_the_file_stops_no_writer(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    prepare(f"sqlite:///{path}")
    assert mode(path) == "wal"
    reader, writer = sqlite3.connect(path, timeout=0), sqlite3.connect(path, timeout=0)
    writer.execute("CREATE TABLE t (x)")
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
    writer.execute("INSERT INTO t VALUES (1)")
    writer.commit()
    reader.close()
    writer.close()


def test_a_new_file_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    prepare(f"sqlite:///{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_there_keeps_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS x")
    connection.close()
    prepare(f"sqlite:///{path}")
    again = sqlite3.connect(path)
    assert again.execute("SELECT x FROM t").fetchone() == (7,)
    again.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    path.write_bytes(b"no database at all, but long enough to be looked at" * 40)
    with pytest.raises(UserError, match=r"queue\.sqlite"):
        prepare(f"sqlite:///{path}")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        prepare(f"sqlite:///{tmp_path}/nowhere/queue.sqlite")


def test_other_databases_need_nothing() -> None:
    prepare("postgresql://example.invalid/queue")
