"""What the durable engine remembers in its own tables: steps that a task took, and tasks about a repository."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from tests.waits import PATIENCE_S


def steps_taken(queue_url: str, key: str) -> int:
    """How many steps a task has taken when it has ended.

    Raises:
        RuntimeError: it does not end.
    """
    with _tables(queue_url) as (engine, schema):
        ended = sa.text(f"SELECT status FROM {schema}workflow_status WHERE workflow_uuid = :key")  # noqa: S608 - a constant
        taken = sa.text(f"SELECT count(*) FROM {schema}operation_outputs WHERE workflow_uuid = :key")  # noqa: S608 - likewise
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            with engine.connect() as connection:
                if connection.execute(ended, {"key": key}).scalar() == "SUCCESS":
                    return int(connection.execute(taken, {"key": key}).scalar_one())
            time.sleep(0.05)
    raise RuntimeError(f"{key} did not end")


def tasks_about(queue_url: str, repository_id: int) -> int:
    """How many tasks there are about a repository, be it named in their key or in the delivery they came with."""
    with _tables(queue_url) as (engine, schema), engine.connect() as connection:
        named = "workflow_uuid LIKE :keyed OR workflow_uuid LIKE :delivered"
        count = sa.text(f"SELECT count(*) FROM {schema}workflow_status WHERE {named}")  # noqa: S608 - constants
        likes = {"keyed": f"%:{repository_id}:%", "delivered": f"%-{repository_id}-%"}
        return int(connection.execute(count, likes).scalar_one())


@contextmanager
def _tables(queue_url: str) -> Iterator[tuple[sa.Engine, str]]:
    """The engine's database, and what its tables' names begin with."""
    engine = sa.create_engine(sa.make_url(queue_url.replace("postgresql://", "postgresql+psycopg://", 1)))
    try:
        yield engine, "dbos." if engine.dialect.name == "postgresql" else ""
    finally:
        engine.dispose()
