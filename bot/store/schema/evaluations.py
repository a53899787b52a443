"""Tables of registrations as they were written, and of evaluations with decisions, samples and rejections.

What the world saw of them is in `bot.store.schema.effects`.
"""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Boolean, ForeignKeyConstraint, Index, Table

from bot.domain import Decision, Evaluation, PolicyStamp, Registration
from bot.store.column_types import AnyText, Json, Moment, Number, ShortText, Whole
from bot.store.schema.columns import have, key, may, metadata

REGISTRATION = TypeAdapter(Registration)
POLICY = TypeAdapter(PolicyStamp)
EVALUATION = TypeAdapter(Evaluation)
DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
RUN_REFERENCES = TypeAdapter(tuple[tuple[int, int], ...])
POSITIONS = TypeAdapter(tuple[int, ...])

registrations = Table(
    "registrations",
    metadata,
    key("repository_id", Whole),
    key("key_id", ShortText),
    key("blob", ShortText),
    key("call_index", Whole),
    have("est_time", Number),
    have("registration", Json(REGISTRATION)),
    have("first_commit", ShortText),
    have("first_seen_at", Moment),
    have("last_commit", ShortText),
    have("last_seen_at", Moment),
)

evaluations = Table(
    "evaluations",
    metadata,
    key("evaluation_id", ShortText),
    have("repository_id", Whole),
    have("base", AnyText),
    have("base_sha", ShortText),
    have("policy", Json(POLICY)),
    have("report_only", AnyText),
    have("run_references", Json(RUN_REFERENCES)),
    have("remainder", Json(EVALUATION)),
    have("evaluated_at", Moment),
    Index(None, "repository_id", "evaluated_at"),
)

decisions = Table(
    "decisions",
    metadata,
    key("evaluation_id", ShortText),
    key("position", Whole),
    have("repository_id", Whole),
    have("key_id", ShortText),
    have("action", ShortText),
    may("reason", ShortText),
    have("est_time", Number),
    may("value_s", Whole),  # proposed, or held back by the reason
    have("decision", Json(DECISION)),
    have("sample_positions", Json(POSITIONS)),
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    Index(None, "repository_id", "key_id"),
)

_PLACE = ("repository_id", "run_id", "attempt", "job_id", "plan_index")


def _timing_reference() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(_PLACE, [f"timings.{name}" for name in _PLACE], ondelete="CASCADE")


samples = Table(
    "samples",
    metadata,
    key("evaluation_id", ShortText),
    key("position", Whole),
    *(have(name, Whole) for name in _PLACE),
    have("path", AnyText),
    have("backend", AnyText),
    have("suite", AnyText),
    have("elapsed_s", Whole),
    have("identity", ShortText),
    may("night_at", Moment),
    have("partial", Boolean),
    have("listed", Boolean),  # false: only a decision cites it
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    _timing_reference(),
    Index("ix_samples_repository_id_run_id", *_PLACE),  # a timing that is given up takes these with it
)

rejections = Table(
    "rejections",
    metadata,
    key("evaluation_id", ShortText),
    key("position", Whole),
    *(have(name, Whole) for name in _PLACE),
    have("reason", ShortText),
    may("path", AnyText),  # of the key; null where no registration matches
    may("backend", AnyText),
    may("suite", AnyText),
    may("identity", ShortText),
    have("detail", AnyText),
    may("night_at", Moment),
    ForeignKeyConstraint(["evaluation_id"], ["evaluations.evaluation_id"], ondelete="CASCADE"),
    _timing_reference(),
    Index("ix_rejections_repository_id_run_id", *_PLACE),  # a timing that is given up takes these with it
)
