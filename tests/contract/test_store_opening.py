"""Opening a store: migrations, locks, transactions, and what a wrong URL or database is told."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.domain import CommitSha, RepositoryId
from bot.errors import RetryableError, UserError
from bot.records.repositories import Repository
from bot.store.database import Database, connect, upsert
from bot.store.migrate import VERSION_TABLE, SchemaState, revision_state, upgrade
from bot.store.open import Store
from bot.store.schema import metadata
from bot.store.schema.evidence import runs
from bot.store.schema.repositories import repository_states
from tests.contract.evidence_values import one_pass

REPO = RepositoryId(7)
OPEN_AND_NOTE = """
import sys
from bot.store.open import Store
store = Store.open(sys.argv[1])
print(store.deliveries.note("guid", "event", "verdict"))
store.close()
"""


@pytest.fixture
def database(url: str) -> Database:
    return connect(url)


def test_the_revisions_make_exactly_the_tables_of_the_schema(url: str) -> None:
    store = Store.open(url)
    with store.database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, metadata) == []
    store.close()


def test_the_references_of_the_schema_are_in_the_database(url: str) -> None:
    store = Store.open(url)
    inspector = sa.inspect(store.database.engine)
    for table in metadata.sorted_tables:
        wanted = {(tuple(c.column_keys), c.referred_table.name) for c in table.foreign_key_constraints}
        found = {
            (tuple(key["constrained_columns"]), key["referred_table"])
            for key in inspector.get_foreign_keys(table.name)
            if key["options"] == {"ondelete": "CASCADE"}
        }
        assert found == wanted
        assert inspector.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
    store.close()


def test_how_the_schema_stands_is_told_without_changing_it(database: Database) -> None:
    assert [revision_state(database), revision_state(database)] == [SchemaState.BEHIND, SchemaState.BEHIND]
    assert sa.inspect(database.engine).get_table_names() == []
    upgrade(database)
    assert revision_state(database) is SchemaState.CURRENT
    with database.write() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = 'from_later'"))  # noqa: S608 - a constant
    assert revision_state(database) is SchemaState.NEWER
    database.close()


def test_opening_again_changes_nothing(url: str) -> None:
    first = Store.open(url)
    first.runs.record(REPO, one_pass(1))
    upgrade(first.database)
    first.close()
    second = Store.open(url)
    assert second.runs.find(REPO, one_pass(1).run.run_id) == (one_pass(1),)
    second.close()


def test_processes_that_start_at_once_migrate_once_and_agree(url: str) -> None:
    command = [sys.executable, "-c", OPEN_AND_NOTE, url]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], answers
    assert sorted(answer.strip() for answer, _ in answers) == ["False", "False", "True"]


def test_threads_that_open_one_database_at_once_migrate_once(url: str) -> None:
    start = threading.Barrier(4)
    opened: list[Store] = []

    def work() -> None:
        start.wait()
        opened.append(Store.open(url))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    for store in opened:
        store.close()


def test_a_database_of_a_newer_version_is_refused(url: str) -> None:
    store = Store.open(url)
    with store.database.write() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))  # noqa: S608 - a constant of ours
    store.close()
    with pytest.raises(UserError, match="newer version"):
        Store.open(url)


def test_a_transaction_is_written_whole_or_not_at_all(database: Database) -> None:
    upgrade(database)
    row = {"repository_id": REPO, "config": None, "paused": False, "first_pr_done": False}

    def fail_half_way() -> None:
        with database.write() as connection:
            upsert(connection, repository_states, [row])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    with database.read() as connection:
        assert connection.execute(sa.select(repository_states)).all() == []
    database.close()


def test_a_reader_sees_one_state_while_a_writer_goes_on(url: str) -> None:
    store = Store.open(url)
    count = sa.select(sa.func.count()).select_from(runs)
    with store.database.read() as reader:
        assert reader.execute(count).scalar_one() == 0
        store.runs.record(REPO, one_pass(1))
        assert reader.execute(count).scalar_one() == 0
    with store.database.read() as reader:
        assert reader.execute(count).scalar_one() == 1
    store.close()


def test_writers_of_the_same_rows_in_different_orders_do_not_block_each_other(url: str) -> None:
    store = Store.open(url)
    rows = [{"repository_id": i, "paused": False, "first_pr_done": False} for i in range(300)]
    start = threading.Barrier(4)

    def write(order: list[dict[str, object]]) -> None:
        start.wait()
        for _ in range(5):
            with store.database.write() as connection:
                upsert(connection, repository_states, order)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [rows, rows[::-1], rows[150:] + rows[:150], rows]))
    with store.database.read() as reader:
        kept = reader.execute(sa.select(sa.func.count()).select_from(repository_states)).scalar_one()
    assert kept == len(rows)
    store.close()


def test_a_connection_lost_half_way_is_told_to_try_again_and_the_next_one_works(postgres_schema_url: str) -> None:
    store = Store.open(postgres_schema_url)

    def lose() -> None:
        with store.database.write() as connection:
            mine = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
            with store.database.write() as other:
                other.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": mine})
            connection.execute(sa.text("SELECT 1"))

    with pytest.raises(RetryableError):
        lose()
    assert store.deliveries.note("guid", "event", "verdict")
    store.close()


def test_nothing_is_kept_as_anything_but_plain_columns(url: str) -> None:
    store = Store.open(url)
    columns = [
        (table, column["name"], column["type"])
        for table in metadata.tables
        for column in sa.inspect(store.database.engine).get_columns(table)
    ]
    binary = [(table, name) for table, name, kind in columns if isinstance(kind, sa.LargeBinary)]
    assert binary == [("blob_bytes", "content")]
    store.close()


# ------------------------------------------------------------------------------------------ URLs


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "cannot be read"),
        ("store.db", "cannot be read"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:///store.db?mode=ro", "without options"),
        ("mysql://host/name", "not mysql"),
        ("nonsense://host/name", "cannot be read|not nonsense"),
        ("sqlite:////nowhere/at/all/store.db", "No such file"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        Store.open(url)


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(UserError) as caught:
        Store.open("postgresql://someone:hush-hush@127.0.0.1:1/recalibrate?connect_timeout=2")
    assert "127.0.0.1" in str(caught.value)
    assert "hush-hush" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"something a person wrote\n" * 100)
    with pytest.raises(UserError, match=r"store\.db"):
        Store.open(f"sqlite:///{path}")
    assert path.read_bytes() == b"something a person wrote\n" * 100


def test_both_spellings_of_the_postgres_scheme_are_taken() -> None:
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        database = connect(f"{scheme}://host/name")
        assert database.engine.url.drivername == "postgresql+psycopg"


# ---------------------------------------------------------------------------------- SQLite itself


def test_a_new_sqlite_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Store.open(f"sqlite:///{path}").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sqlite_runs_with_a_write_ahead_log_and_foreign_keys(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    with store.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
    store.close()


def test_a_writer_that_waited_too_long_is_told_to_try_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Store.open(f"sqlite:///{path}").close()
    impatient = connect(f"sqlite:///{path}", busy_s=0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def write() -> None:
        with impatient.write() as connection:
            upsert(connection, repository_states, [{"repository_id": 1, "paused": False, "first_pr_done": False}])

    with pytest.raises(RetryableError, match="busy"):
        write()
    other.execute("ROLLBACK")
    other.close()
    write()
    impatient.close()


def test_a_writer_without_room_on_the_disk_is_told_to_make_some_and_goes_on_then(tmp_path: Path) -> None:
    database = connect(f"sqlite:///{tmp_path / 'full.db'}")
    table = sa.table("notes", sa.column("text"))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE notes (text TEXT)")

    def write(most_pages: int) -> None:
        with database.write() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {most_pages}")
            connection.execute(sa.insert(table).values(text="x" * 100_000))

    with pytest.raises(RetryableError, match="no room left on its disk"):
        write(3)
    write(10_000)
    database.close()


def test_a_sentence_about_a_failure_holds_no_values(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    with store.database.write() as connection:
        connection.exec_driver_sql("DROP TABLE repositories")
    with pytest.raises(sa.exc.OperationalError) as caught:
        store.repositories.save(Repository(REPO, "octo/secret-project", default_branch=CommitSha("main")))
    assert "secret-project" not in str(caught.value)
    store.close()
