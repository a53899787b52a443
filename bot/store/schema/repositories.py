"""Tables of what GitHub says of installations and repositories, and of the deliveries that told us.

What was measured in them is in `bot.store.schema.evidence`.
"""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Boolean, Index, Table

from bot.records.repositories import ConfigSnapshot
from bot.store.column_types import AnyText, Json, Moment, ShortText, Whole
from bot.store.schema.columns import have, key, may, metadata

CONFIG = TypeAdapter(ConfigSnapshot)

installations = Table(
    "installations",
    metadata,
    key("installation_id", Whole),
    have("account", AnyText),
    have("suspended", Boolean),
)

repositories = Table(
    "repositories",
    metadata,
    key("repository_id", Whole),
    have("full_name", ShortText),
    may("installation_id", Whole),
    have("default_branch", AnyText),
    have("private", Boolean),
    have("archived", Boolean),
    have("seen_at", Moment),
    may("lost_at", Moment),  # since when no installation gives access to it
    Index(None, "full_name"),
    Index(None, "installation_id"),
)

repository_states = Table(
    "repository_states",
    metadata,
    key("repository_id", Whole),
    may("config", Json(CONFIG)),
    have("paused", Boolean),
    have("first_pr_done", Boolean),
)

deliveries = Table(
    "deliveries",
    metadata,
    key("guid", ShortText),
    have("event", AnyText),
    have("action", AnyText),
    may("repository_id", Whole),
    have("verdict", AnyText),
    have("received_at", Moment),
    Index(None, "received_at"),
)
