"""Tables of what can be read from GitHub again: parsed files and their bytes. Nothing refers to them."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Index, LargeBinary, Table

from bot.domain import SourceRegistrations
from bot.store.column_types import Json, Moment, ShortText, Whole
from bot.store.schema.columns import have, key, metadata

SOURCE = TypeAdapter(SourceRegistrations)

parsed_blobs = Table(
    "parsed_blobs",
    metadata,
    key("repository_id", Whole),
    key("blob", ShortText),
    key("path_id", ShortText),  # a digest of the path: one blob may stand at several
    key("dialect", ShortText),  # its name and version
    have("source", Json(SOURCE)),
)

blob_bytes = Table(
    "blob_bytes",
    metadata,
    key("repository_id", Whole),
    key("blob", ShortText),
    have("size", Whole),
    have("content", LargeBinary),
    have("kept_at", Moment),
    Index(None, "repository_id", "kept_at"),
)
