"""Tables of runs, their jobs and their timings; what is made of these is in `bot.store.schema.evaluations`."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Boolean, ForeignKeyConstraint, Index, Table

from bot.domain import LogNote, Plan, Suite
from bot.store.column_types import AnyText, Json, Moment, Number, ShortText, Whole
from bot.store.schema.columns import have, key, may, metadata

PLAN = TypeAdapter(Plan)
LOG_NOTES = TypeAdapter(tuple[LogNote, ...])
SUITES = TypeAdapter(tuple[Suite, ...])
CITED_LINES = TypeAdapter(dict[int, str])

runs = Table(
    "runs",
    metadata,
    key("repository_id", Whole),
    key("run_id", Whole),
    key("attempt", Whole),
    have("repository", AnyText),
    have("head_sha", ShortText),
    may("created_at", Moment),
    may("started_at", Moment),
    have("event", AnyText),
    have("head_branch", AnyText),
    have("workflow", AnyText),
    have("conclusion", AnyText),
    have("url", AnyText),
    have("measures", AnyText),
    have("trusted", Boolean),
    have("partial", Json(SUITES)),
    have("recorded_at", Moment),
    Index(None, "repository_id", "created_at"),
)

jobs = Table(
    "jobs",
    metadata,
    key("repository_id", Whole),
    key("run_id", Whole),
    key("attempt", Whole),  # of the listing; `job_attempt` is what the job says of itself
    key("job_id", Whole),
    have("position", Whole),
    have("name", AnyText),
    have("job_attempt", Whole),
    have("conclusion", AnyText),
    may("started_at", Moment),
    may("completed_at", Moment),
    have("runner_name", AnyText),
    have("log_state", ShortText),
    have("log_path", AnyText),
    have("log_sha256", ShortText),
    have("log_size", Whole),
    have("log_lines", Whole),
    have("log_reason", AnyText),
    have("dialect", AnyText),
    may("plan", Json(PLAN)),
    may("tested_sha", ShortText),
    have("notes", Json(LOG_NOTES)),
    may("carried_from", Whole),
    may("cited_lines", Json(CITED_LINES)),
    ForeignKeyConstraint(
        ["repository_id", "run_id", "attempt"],
        ["runs.repository_id", "runs.run_id", "runs.attempt"],
        ondelete="CASCADE",
    ),
)

timings = Table(
    "timings",
    metadata,
    key("repository_id", Whole),
    key("run_id", Whole),
    key("attempt", Whole),
    key("job_id", Whole),
    key("plan_index", Whole),
    have("key_id", ShortText),  # a digest of (path, backend, suite): paths are too long to index
    may("night_at", Moment),  # the run's created_at
    have("carried_over", Boolean),
    may("blob_at_head", ShortText),
    have("head_sha", ShortText),
    have("job_name", AnyText),
    have("path", AnyText),
    have("backend", AnyText),
    have("suite", AnyText),
    have("partition_id", Whole),
    have("partition_size", Whole),
    have("status", ShortText),
    may("elapsed_s", Whole),
    have("logged_est_s", Number),
    have("plan_line", Whole),
    may("timing_line", Whole),
    may("status_line", Whole),
    may("summary_line", Whole),
    have("tries", Whole),
    have("runner_name", AnyText),
    have("note", AnyText),
    have("implicit", Boolean),
    may("doubt", ShortText),
    may("doubt_line", Whole),
    ForeignKeyConstraint(
        ["repository_id", "run_id", "attempt", "job_id"],
        ["jobs.repository_id", "jobs.run_id", "jobs.attempt", "jobs.job_id"],
        ondelete="CASCADE",
    ),
    Index(None, "repository_id", "key_id", "night_at"),
    Index(None, "repository_id", "head_sha"),
)
