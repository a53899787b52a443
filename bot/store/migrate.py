"""Brings a database to the present schema, under a lock, however many processes start at once.

The revisions are in `migrations/versions`; this module writes no table itself.
"""

from __future__ import annotations

import threading
from enum import StrEnum
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import text

from bot.errors import UserError
from bot.store.database import Database

VERSION_TABLE = "schema_revision"
_LOCK = 0x7265_6361_6C69_6272  # "recalibr": one advisory lock of ours in the whole Postgres database
_ONE_AT_A_TIME = threading.Lock()  # alembic keeps its context in module globals


class SchemaState(StrEnum):
    """How a database's schema stands to the one this program knows."""

    CURRENT = "current"
    BEHIND = "behind"  # or there is none yet
    NEWER = "newer"


def upgrade(database: Database) -> None:
    """Apply every missing revision in one transaction.

    Raises:
        UserError: the database cannot be reached or used, or was written by a newer version.
    """
    where = database.engine.url.render_as_string(hide_password=True)
    try:
        with database.usable(), _ONE_AT_A_TIME, database.write() as connection:  # on SQLite the transaction is the lock
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except CommandError as error:
        raise UserError(f"the store {where} was written by a newer version of this program") from error


def revision_state(database: Database) -> SchemaState:
    """How the database's schema stands to this program's. Changes nothing.

    Raises:
        UserError: the database cannot be reached or used.
    """
    script = ScriptDirectory.from_config(_config())
    with database.usable(), database.read() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        present = set(context.get_current_heads())
    if present == set(script.get_heads()):
        return SchemaState.CURRENT
    known = {one.revision for one in script.walk_revisions()}
    return SchemaState.BEHIND if present <= known else SchemaState.NEWER


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
