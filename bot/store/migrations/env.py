"""What alembic runs for each command: on the connection it is handed, inside its transaction."""

from __future__ import annotations

from alembic import context

from bot.store.migrate import VERSION_TABLE
from bot.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,  # SQLite's DDL is transactional too once we begin ourselves
)
with context.begin_transaction():
    context.run_migrations()
