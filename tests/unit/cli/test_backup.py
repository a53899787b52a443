"""Promises of `recalibrate backup`: whole copies of files in use, for their owner alone, or a refusal by name."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli.backup import QUEUE_COPY, STORE_COPY, backup, copy
from bot.errors import UserError


@pytest.fixture
def served(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Two files with write-ahead logs, a writer in the middle of something in each."""
    writers = []
    for name in ("recalibrate.sqlite", "queue.sqlite"):
        writer = sqlite3.connect(tmp_path / name, isolation_level=None)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE kept (value TEXT)")
        writer.execute("INSERT INTO kept VALUES (?)", (name,))
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO kept VALUES ('not yet')")
        writers.append(writer)
    yield {"RECALIBRATE_WORK_DIR": str(tmp_path)}
    for writer in writers:
        writer.close()


def kept(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT value FROM kept")]


def test_both_files_are_copied_as_they_stand_without_waiting_for_a_writer(
    served: dict[str, str], tmp_path: Path
) -> None:
    said: list[str] = []
    backup(served, tmp_path / "kept", said.append)
    assert kept(tmp_path / "kept" / STORE_COPY) == ["recalibrate.sqlite"]
    assert kept(tmp_path / "kept" / QUEUE_COPY) == ["queue.sqlite"]
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == sorted([QUEUE_COPY, STORE_COPY])
    assert [line.split(":")[0] for line in said] == [str(tmp_path / "kept" / name) for name in (QUEUE_COPY, STORE_COPY)]


def test_only_its_owner_may_read_a_copy(served: dict[str, str], tmp_path: Path) -> None:
    backup(served, tmp_path / "kept", lambda _line: None)
    paths = [tmp_path / "kept", *(tmp_path / "kept").iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in paths} == {0}


def test_a_folder_that_holds_something_is_left_as_it_is(served: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    backup(served, folder, lambda _line: None)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UserError, match="holds something already"):
        backup(served, folder, lambda _line: None)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"RECALIBRATE_DATABASE_URL": "postgresql://db.example/x"}, "RECALIBRATE_QUEUE_URL: not SQLite"),
        ({"RECALIBRATE_QUEUE_URL": "postgresql://db.example/x"}, "RECALIBRATE_QUEUE_URL: not SQLite"),
        ({"RECALIBRATE_WORK_DIR": "elsewhere"}, "there is no such file"),
    ],
    ids=["postgres", "a queue in postgres", "another folder"],
)
def test_what_cannot_be_backed_up_is_named_and_nothing_is_made(
    served: dict[str, str], tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        backup({**served, **changed}, tmp_path / "kept", lambda _line: None)
    assert not (tmp_path / "kept").exists()


def test_a_file_that_is_no_database_is_told_and_leaves_no_half_copy(tmp_path: Path) -> None:
    (tmp_path / "broken.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.Error):
        copy(tmp_path / "broken.sqlite", tmp_path / "copy.sqlite")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.sqlite"]


def test_a_file_that_stays_locked_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "locked", isolation_level=None)) as holder:
        holder.execute("CREATE TABLE kept (value TEXT)")
        holder.execute("BEGIN EXCLUSIVE")  # without a write-ahead log this keeps readers out, too
        (tmp_path / "copies").mkdir()
        with pytest.raises(sqlite3.OperationalError, match=r"locked for 0\.01 s"):
            copy(tmp_path / "locked", tmp_path / "copies" / "copy", locked_s=0.01)
    assert list((tmp_path / "copies").iterdir()) == []
