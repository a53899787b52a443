"""What the output of a passed file says against it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.add_column("timings", sa.Column("doubt", sa.Text(), nullable=True))
    op.add_column("timings", sa.Column("doubt_line", sa.BigInteger(), nullable=True))
