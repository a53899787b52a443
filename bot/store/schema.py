"""The tables. Rows are keyed by GitHub's repository id, so renames and transfers follow.

Only what is queried or joined has a column of its own; the rest of a value is JSON. References
hold inside what is written together (a run, its jobs, their timings; an evaluation and its parts).
None points at `repositories`: deliveries and outcomes may come before anything is known of one.
A change here needs a revision in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, LargeBinary, MetaData, Table
from sqlalchemy.types import TypeEngine

from bot.domain import (
    Decision,
    Evaluation,
    LogNote,
    Plan,
    PolicyStamp,
    Registration,
    SourceRegistrations,
    Suite,
    TaskRequest,
)
from bot.records.repositories import ConfigSnapshot
from bot.store.column_types import AnyText, Json, Moment, Number, ShortText, Whole

CONFIG = TypeAdapter(ConfigSnapshot)
PLAN = TypeAdapter(Plan)
LOG_NOTES = TypeAdapter(tuple[LogNote, ...])
SUITES = TypeAdapter(tuple[Suite, ...])
CITED_LINES = TypeAdapter(dict[int, str])
REGISTRATION = TypeAdapter(Registration)
SOURCE = TypeAdapter(SourceRegistrations)
POLICY = TypeAdapter(PolicyStamp)
EVALUATION = TypeAdapter(Evaluation)
DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
RUN_REFERENCES = TypeAdapter(tuple[tuple[int, int], ...])
TASK_REQUEST = TypeAdapter(TaskRequest)
POSITIONS = TypeAdapter(tuple[int, ...])

Kind = TypeEngine[Any] | type[TypeEngine[Any]]

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _key(name: str, kind: Kind) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _have(name: str, kind: Kind) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _may(name: str, kind: Kind) -> Column[Any]:
    return Column(name, kind, nullable=True)


# ------------------------------------------------------- what GitHub says, and what we were told

installations = Table(
    "installations",
    metadata,
    _key("installation_id", Whole),
    _have("account", AnyText),
    _have("suspended", Boolean),
)

repositories = Table(
    "repositories",
    metadata,
    _key("repository_id", Whole),
    _have("full_name", ShortText),
    _may("installation_id", Whole),
    _have("default_branch", AnyText),
    _have("private", Boolean),
    _have("archived", Boolean),
    _have("seen_at", Moment),
    _may("lost_at", Moment),  # since when no installation gives access to it
    Index(None, "full_name"),
    Index(None, "installation_id"),
)

repository_states = Table(
    "repository_states",
    metadata,
    _key("repository_id", Whole),
    _may("config", Json(CONFIG)),
    _have("paused", Boolean),
    _have("first_pr_done", Boolean),
)

deliveries = Table(
    "deliveries",
    metadata,
    _key("guid", ShortText),
    _have("event", AnyText),
    _have("action", AnyText),
    _may("repository_id", Whole),
    _have("verdict", AnyText),
    _have("received_at", Moment),
    Index(None, "received_at"),
)

# -------------------------------------------------------------------------------------- evidence

runs = Table(
    "runs",
    metadata,
    _key("repository_id", Whole),
    _key("run_id", Whole),
    _key("attempt", Whole),
    _have("repository", AnyText),
    _have("head_sha", ShortText),
    _may("created_at", Moment),
    _may("started_at", Moment),
    _have("event", AnyText),
    _have("head_branch", AnyText),
    _have("workflow", AnyText),
    _have("conclusion", AnyText),
    _have("url", AnyText),
    _have("measures", AnyText),
    _have("trusted", Boolean),
    _have("partial", Json(SUITES)),
    _have("recorded_at", Moment),
    Index(None, "repository_id", "created_at"),
)

jobs = Table(
    "jobs",
    metadata,
    _key("repository_id", Whole),
    _key("run_id", Whole),
    _key("attempt", Whole),  # of the listing; `job_attempt` is what the job says of itself
    _key("job_id", Whole),
    _have("position", Whole),
    _have("name", AnyText),
    _have("job_attempt", Whole),
    _have("conclusion", AnyText),
    _may("started_at", Moment),
    _may("completed_at", Moment),
    _have("runner_name", AnyText),
    _have("log_state", ShortText),
    _have("log_path", AnyText),
    _have("log_sha256", ShortText),
    _have("log_size", Whole),
    _have("log_lines", Whole),
    _have("log_reason", AnyText),
    _have("dialect", AnyText),
    _may("plan", Json(PLAN)),
    _may("tested_sha", ShortText),
    _have("notes", Json(LOG_NOTES)),
    _may("carried_from", Whole),
    _may("cited_lines", Json(CITED_LINES)),
    ForeignKeyConstraint(
        ["repository_id", "run_id", "attempt"],
        ["runs.repository_id", "runs.run_id", "runs.attempt"],
        ondelete="CASCADE",
    ),
)

timings = Table(
    "timings",
    metadata,
    _key("repository_id", Whole),
    _key("run_id", Whole),
    _key("attempt", Whole),
    _key("job_id", Whole),
    _key("plan_index", Whole),
    _have("key_id", ShortText),  # a digest of (path, backend, suite): paths are too long to index
    _may("night_at", Moment),  # the run's created_at
    _have("carried_over", Boolean),
    _may("blob_at_head", ShortText),
    _have("head_sha", ShortText),
    _have("job_name", AnyText),
    _have("path", AnyText),
    _have("backend", AnyText),
    _have("suite", AnyText),
    _have("partition_id", Whole),
    _have("partition_size", Whole),
    _have("status", ShortText),
    _may("elapsed_s", Whole),
    _have("logged_est_s", Number),
    _have("plan_line", Whole),
    _may("timing_line", Whole),
    _may("status_line", Whole),
    _may("summary_line", Whole),
    _have("tries", Whole),
    _have("runner_name", AnyText),
    _have("note", AnyText),
    _have("implicit", Boolean),
    _may("doubt", ShortText),
    _may("doubt_line", Whole),
    ForeignKeyConstraint(
        ["repository_id", "run_id", "attempt", "job_id"],
        ["jobs.repository_id", "jobs.run_id", "jobs.attempt", "jobs.job_id"],
        ondelete="CASCADE",
    ),
    Index(None, "repository_id", "key_id", "night_at"),
    Index(None, "repository_id", "head_sha"),
)

# ------------------------------------------------------------------- registrations and decisions

registrations = Table(
    "registrations",
    metadata,
    _key("repository_id", Whole),
    _key("key_id", ShortText),
    _key("blob", ShortText),
    _key("call_index", Whole),
    _have("est_time", Number),
    _have("registration", Json(REGISTRATION)),
    _have("first_commit", ShortText),
    _have("first_seen_at", Moment),
    _have("last_commit", ShortText),
    _have("last_seen_at", Moment),
)

evaluations = Table(
    "evaluations",
    metadata,
    _key("evaluation_id", ShortText),
    _have("repository_id", Whole),
    _have("base", AnyText),
    _have("base_sha", ShortText),
    _have("policy", Json(POLICY)),
    _have("report_only", AnyText),
    _have("run_references", Json(RUN_REFERENCES)),
    _have("remainder", Json(EVALUATION)),
    _have("evaluated_at", Moment),
    Index(None, "repository_id", "evaluated_at"),
)

decisions = Table(
    "decisions",
    metadata,
    _key("evaluation_id", ShortText),
    _key("position", Whole),
    _have("repository_id", Whole),
    _have("key_id", ShortText),
    _have("action", ShortText),
    _may("reason", ShortText),
    _have("est_time", Number),
    _may("value_s", Whole),  # proposed, or held back by the reason
    _have("decision", Json(DECISION)),
    _have("sample_positions", Json(POSITIONS)),
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    Index(None, "repository_id", "key_id"),
)


_PLACE = ("repository_id", "run_id", "attempt", "job_id", "plan_index")


def _timing_reference() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(_PLACE, [f"timings.{name}" for name in _PLACE], ondelete="CASCADE")


samples = Table(
    "samples",
    metadata,
    _key("evaluation_id", ShortText),
    _key("position", Whole),
    _have("repository_id", Whole),
    _have("run_id", Whole),
    _have("attempt", Whole),
    _have("job_id", Whole),
    _have("plan_index", Whole),
    _have("path", AnyText),
    _have("backend", AnyText),
    _have("suite", AnyText),
    _have("elapsed_s", Whole),
    _have("identity", ShortText),
    _may("night_at", Moment),
    _have("partial", Boolean),
    _have("listed", Boolean),  # false: only a decision cites it
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    _timing_reference(),
    Index("ix_samples_repository_id_run_id", *_PLACE),  # a timing that is given up takes these with it
)

rejections = Table(
    "rejections",
    metadata,
    _key("evaluation_id", ShortText),
    _key("position", Whole),
    _have("repository_id", Whole),
    _have("run_id", Whole),
    _have("attempt", Whole),
    _have("job_id", Whole),
    _have("plan_index", Whole),
    _have("reason", ShortText),
    _may("path", AnyText),  # of the key; null where no registration matches
    _may("backend", AnyText),
    _may("suite", AnyText),
    _may("identity", ShortText),
    _have("detail", AnyText),
    _may("night_at", Moment),
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    _timing_reference(),
    Index("ix_rejections_repository_id_run_id", *_PLACE),  # a timing that is given up takes these with it
)

# --------------------------------------------------------------------------- what the world saw

publications = Table(
    "publications",
    metadata,
    _key("repository_id", Whole),
    _key("commit_sha", ShortText),
    _have("branch", ShortText),
    _have("base", AnyText),
    _have("base_sha", ShortText),
    _have("digest", ShortText),
    _may("evidence_commit", ShortText),
    _may("pull_request", Whole),
    _may("evaluation_id", ShortText),
    _may("pull_request_end", ShortText),
    _may("merge_commit", ShortText),
    _have("published_at", Moment),
    Index(None, "repository_id", "branch", "published_at"),
    Index(None, "repository_id", "pull_request"),
    Index(None, "repository_id", "merge_commit"),
)

outcomes = Table(
    "outcomes",
    metadata,
    _key("task_id", ShortText),
    _have("repository_id", Whole),
    _have("kind", ShortText),
    _have("name", ShortText),
    _have("detail", AnyText),
    _may("run_id", Whole),
    _may("attempt", Whole),
    _have("ended_at", Moment),
    Index(None, "repository_id", "ended_at"),
)

parked = Table(
    "parked",
    metadata,
    _key("key", ShortText),  # of the work, whichever take of it
    _have("repository_id", Whole),
    _have("request", Json(TASK_REQUEST)),
    _have("owed", AnyText),
    _may("due_at", Moment),  # none: its next take was asked for
    Index(None, "due_at"),
)

notices = Table(
    "notices",
    metadata,
    _key("repository_id", Whole),
    _key("key", ShortText),
    _have("issue", Whole),
    _have("digest", ShortText),
    _have("opened_at", Moment),
    _may("closed_at", Moment),
)

hosts = Table(
    "hosts",
    metadata,
    _key("executor_id", ShortText),
    _have("role", ShortText),
    _have("version", ShortText),
    _have("beats", Whole),
    _have("beat_at", Moment),
)

# ----------------------------------------------------------------------------------------- caches

parsed_blobs = Table(
    "parsed_blobs",
    metadata,
    _key("repository_id", Whole),
    _key("blob", ShortText),
    _key("path_id", ShortText),  # a digest of the path: one blob may stand at several
    _key("dialect", ShortText),  # its name and version
    _have("source", Json(SOURCE)),
)

blob_bytes = Table(
    "blob_bytes",
    metadata,
    _key("repository_id", Whole),
    _key("blob", ShortText),
    _have("size", Whole),
    _have("content", LargeBinary),
    _have("kept_at", Moment),
    Index(None, "repository_id", "kept_at"),
)
