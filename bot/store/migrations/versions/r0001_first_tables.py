"""The first tables: repositories, deliveries, evidence, decisions, publications, outcomes, caches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "blob_bytes",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "blob", name="pk_blob_bytes"),
    )
    op.create_index("ix_blob_bytes_repository_id_kept_at", "blob_bytes", ["repository_id", "kept_at"])
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guid", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_received_at", "deliveries", ["received_at"])
    op.create_table(
        "evaluations",
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("base_sha", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("report_only", sa.Text(), nullable=False),
        sa.Column("run_references", sa.Text(), nullable=False),
        sa.Column("remainder", sa.Text(), nullable=False),
        sa.Column("evaluated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_evaluations"),
    )
    op.create_index("ix_evaluations_repository_id_evaluated_at", "evaluations", ["repository_id", "evaluated_at"])
    op.create_table(
        "installations",
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("suspended", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", name="pk_installations"),
    )
    op.create_table(
        "notices",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("issue", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("repository_id", "key", name="pk_notices"),
    )
    op.create_table(
        "outcomes",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("attempt", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("task_id", name="pk_outcomes"),
    )
    op.create_index("ix_outcomes_repository_id_ended_at", "outcomes", ["repository_id", "ended_at"])
    op.create_table(
        "parsed_blobs",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=False),
        sa.Column("path_id", sa.Text(), nullable=False),
        sa.Column("dialect", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "blob", "path_id", "dialect", name="pk_parsed_blobs"),
    )
    op.create_table(
        "publications",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("commit_sha", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("base_sha", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("evidence_commit", sa.Text(), nullable=True),
        sa.Column("pull_request", sa.BigInteger(), nullable=True),
        sa.Column("evaluation_id", sa.Text(), nullable=True),
        sa.Column("pull_request_end", sa.Text(), nullable=True),
        sa.Column("merge_commit", sa.Text(), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "commit_sha", name="pk_publications"),
    )
    op.create_index(
        "ix_publications_repository_id_branch_published_at", "publications", ["repository_id", "branch", "published_at"]
    )
    op.create_index("ix_publications_repository_id_merge_commit", "publications", ["repository_id", "merge_commit"])
    op.create_index("ix_publications_repository_id_pull_request", "publications", ["repository_id", "pull_request"])
    op.create_table(
        "registrations",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=False),
        sa.Column("call_index", sa.BigInteger(), nullable=False),
        sa.Column("est_time", sa.Double(), nullable=False),
        sa.Column("registration", sa.Text(), nullable=False),
        sa.Column("first_commit", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_commit", sa.Text(), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "key_id", "blob", "call_index", name="pk_registrations"),
    )
    op.create_table(
        "repositories",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=True),
        sa.Column("default_branch", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", name="pk_repositories"),
    )
    op.create_index("ix_repositories_full_name", "repositories", ["full_name"])
    op.create_index("ix_repositories_installation_id", "repositories", ["installation_id"])
    op.create_table(
        "repository_states",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("config", sa.Text(), nullable=True),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("first_pr_done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", name="pk_repository_states"),
    )
    op.create_table(
        "runs",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("head_branch", sa.Text(), nullable=False),
        sa.Column("workflow", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("measures", sa.Text(), nullable=False),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("partial", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "run_id", "attempt", name="pk_runs"),
    )
    op.create_index("ix_runs_repository_id_created_at", "runs", ["repository_id", "created_at"])
    op.create_table(
        "decisions",
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("est_time", sa.Double(), nullable=False),
        sa.Column("value_s", sa.BigInteger(), nullable=True),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("sample_positions", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_decisions"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.evaluation_id"], name="fk_decisions_evaluations", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_decisions_repository_id_key_id", "decisions", ["repository_id", "key_id"])
    op.create_table(
        "jobs",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("job_attempt", sa.BigInteger(), nullable=False),
        sa.Column("conclusion", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("runner_name", sa.Text(), nullable=False),
        sa.Column("log_state", sa.Text(), nullable=False),
        sa.Column("log_path", sa.Text(), nullable=False),
        sa.Column("log_sha256", sa.Text(), nullable=False),
        sa.Column("log_size", sa.BigInteger(), nullable=False),
        sa.Column("log_lines", sa.BigInteger(), nullable=False),
        sa.Column("log_reason", sa.Text(), nullable=False),
        sa.Column("dialect", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=True),
        sa.Column("tested_sha", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("carried_from", sa.BigInteger(), nullable=True),
        sa.Column("cited_lines", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("repository_id", "run_id", "attempt", "job_id", name="pk_jobs"),
        sa.ForeignKeyConstraint(
            ["repository_id", "run_id", "attempt"],
            ["runs.repository_id", "runs.run_id", "runs.attempt"],
            name="fk_jobs_runs",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "timings",
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("plan_index", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("night_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("carried_over", sa.Boolean(), nullable=False),
        sa.Column("blob_at_head", sa.Text(), nullable=True),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("job_name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("backend", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("partition_id", sa.BigInteger(), nullable=False),
        sa.Column("partition_size", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("elapsed_s", sa.BigInteger(), nullable=True),
        sa.Column("logged_est_s", sa.Double(), nullable=False),
        sa.Column("plan_line", sa.BigInteger(), nullable=False),
        sa.Column("timing_line", sa.BigInteger(), nullable=True),
        sa.Column("status_line", sa.BigInteger(), nullable=True),
        sa.Column("summary_line", sa.BigInteger(), nullable=True),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("runner_name", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("implicit", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "run_id", "attempt", "job_id", "plan_index", name="pk_timings"),
        sa.ForeignKeyConstraint(
            ["repository_id", "run_id", "attempt", "job_id"],
            ["jobs.repository_id", "jobs.run_id", "jobs.attempt", "jobs.job_id"],
            name="fk_timings_jobs",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_timings_repository_id_head_sha", "timings", ["repository_id", "head_sha"])
    op.create_index("ix_timings_repository_id_key_id_night_at", "timings", ["repository_id", "key_id", "night_at"])
    op.create_table(
        "rejections",
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("plan_index", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("backend", sa.Text(), nullable=True),
        sa.Column("suite", sa.Text(), nullable=True),
        sa.Column("identity", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("night_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_rejections"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.evaluation_id"], name="fk_rejections_evaluations", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["repository_id", "run_id", "attempt", "job_id", "plan_index"],
            ["timings.repository_id", "timings.run_id", "timings.attempt", "timings.job_id", "timings.plan_index"],
            name="fk_rejections_timings",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "samples",
        sa.Column("evaluation_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("plan_index", sa.BigInteger(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("backend", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("elapsed_s", sa.BigInteger(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("night_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("partial", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_samples"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.evaluation_id"], name="fk_samples_evaluations", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["repository_id", "run_id", "attempt", "job_id", "plan_index"],
            ["timings.repository_id", "timings.run_id", "timings.attempt", "timings.job_id", "timings.plan_index"],
            name="fk_samples_timings",
            ondelete="CASCADE",
        ),
    )
