"""Tables of what the world saw: publications and notices, how tasks ended or wait, and the processes that work.

The queue of tasks is the durable engine's own.
"""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Index, Table

from bot.domain import TaskRequest
from bot.store.column_types import AnyText, Json, Moment, ShortText, Whole
from bot.store.schema.columns import have, key, may, metadata

TASK_REQUEST = TypeAdapter(TaskRequest)

publications = Table(
    "publications",
    metadata,
    key("repository_id", Whole),
    key("commit_sha", ShortText),
    have("branch", ShortText),
    have("base", AnyText),
    have("base_sha", ShortText),
    have("digest", ShortText),
    may("evidence_commit", ShortText),
    may("pull_request", Whole),
    may("evaluation_id", ShortText),
    may("pull_request_end", ShortText),
    may("merge_commit", ShortText),
    have("published_at", Moment),
    Index(None, "repository_id", "branch", "published_at"),
    Index(None, "repository_id", "pull_request"),
    Index(None, "repository_id", "merge_commit"),
)

outcomes = Table(
    "outcomes",
    metadata,
    key("task_id", ShortText),
    have("repository_id", Whole),
    have("kind", ShortText),
    have("name", ShortText),
    have("detail", AnyText),
    may("run_id", Whole),
    may("attempt", Whole),
    have("ended_at", Moment),
    Index(None, "repository_id", "ended_at"),
)

parked = Table(
    "parked",
    metadata,
    key("key", ShortText),  # of the work, whichever take of it
    have("repository_id", Whole),
    have("request", Json(TASK_REQUEST)),
    have("owed", AnyText),
    may("due_at", Moment),  # none: its next take was asked for
    Index(None, "due_at"),
)

notices = Table(
    "notices",
    metadata,
    key("repository_id", Whole),
    key("key", ShortText),
    have("issue", Whole),
    have("digest", ShortText),
    have("opened_at", Moment),
    may("closed_at", Moment),
)

hosts = Table(
    "hosts",
    metadata,
    key("executor_id", ShortText),
    have("role", ShortText),
    have("version", ShortText),
    have("beats", Whole),
    have("beat_at", Moment),
)
