"""Samples and rejections are found by the timing they are about: by a page, and when a run is given up."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_PLACE = ["repository_id", "run_id", "attempt", "job_id", "plan_index"]


def upgrade() -> None:
    """Apply."""
    op.create_index("ix_samples_repository_id_run_id", "samples", _PLACE)
    op.create_index("ix_rejections_repository_id_run_id", "rejections", _PLACE)
