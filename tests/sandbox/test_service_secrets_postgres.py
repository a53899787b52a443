"""The same secrets with the store and the tasks on Postgres: no row of any table, no log line and no page holds one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from bot.sandbox.generator import Generated
from tests.postgres_server import postgres
from tests.sandbox.service import Case, Lines, Rig, every_line, rig
from tests.sandbox.test_service_secrets import JWT, secrets, suffer

NAMES = ("secrets_store", "secrets_queue")


@pytest.fixture(scope="module")
def urls() -> Iterator[tuple[str, ...]]:
    """Two databases of their own."""
    with postgres() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            for name in NAMES:
                connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield tuple(sa.make_url(url).set(database=name).render_as_string(hide_password=False) for name in NAMES)


@pytest.fixture(scope="module")
def lines() -> Iterator[Lines]:
    with every_line() as found:
        yield found


@pytest.fixture(scope="module")
def troubled(
    urls: tuple[str, ...], lines: Lines, generated: Generated, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Case]:
    def on_postgres(made: Rig) -> None:
        made.settings = replace(made.settings, database_url=urls[0], queue_url=urls[1])

    with rig(tmp_path_factory.mktemp("service"), prepared=on_postgres) as running:
        case, runs = running.started(generated, "troubled")
        suffer(case, runs)
        yield case


def texts(urls: tuple[str, ...]) -> dict[str, str]:
    """Every row of every table, as text; bytes as they are."""
    found = {}
    every = "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
    for url in urls:
        with psycopg.connect(url) as connection:
            for schema, name in connection.execute(every).fetchall():
                rows = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, name))).fetchall()
                found[f"{sa.make_url(url).database}:{schema}.{name}"] = "\n".join(repr(row) for row in rows)
    return found


def test_no_table_of_postgres_holds_a_secret(troubled: Case, urls: tuple[str, ...]) -> None:
    held = texts(urls)
    named = [name for name, text in held.items() if troubled.repo.full_name in text]
    assert any("workflow_input" in name for name in named)  # the tables are those that are written
    assert any("repositories" in name for name in named)
    assert [(name, secret) for name, text in held.items() for secret in secrets(troubled) if secret in text] == []
    assert [name for name, text in held.items() if JWT.search(text)] == []


def test_no_log_line_and_nothing_shown_holds_a_secret(troubled: Case, lines: Lines) -> None:
    shown = "\n".join([*lines.texts, *troubled.seen().values()])
    assert "task ended" in shown
    assert [secret for secret in secrets(troubled) if secret in shown] == []


def test_a_planted_secret_would_be_found(troubled: Case, urls: tuple[str, ...]) -> None:
    planted = secrets(troubled)[-1]
    with psycopg.connect(urls[0], autocommit=True) as connection:
        connection.execute("CREATE TABLE planted (held bytea, said text)")
        connection.execute("INSERT INTO planted VALUES (%s, NULL), (NULL, %s)", (planted.encode(), f"x{planted}x"))
        try:
            assert texts(urls)[f"{NAMES[0]}:public.planted"].count(planted) == 2
        finally:
            connection.execute("DROP TABLE planted")
