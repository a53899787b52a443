"""The tables. Rows are keyed by GitHub's repository id, so renames and transfers follow.

Only what is queried or joined has a column of its own; the rest of a value is JSON. References
hold inside what is written together (a run, its jobs, their timings; an evaluation and its parts).
None points at `repositories`: deliveries and outcomes may come before anything is known of one.
A change here needs a revision in `migrations/versions`; a test compares the two.

Each module here holds the tables of one subject. Whoever imports one gets them all into `metadata`:
a part of the catalogue would look like a schema whose other tables are to be dropped.
"""

from __future__ import annotations

from bot.store.schema import caches, effects, evaluations, evidence, repositories
from bot.store.schema.columns import metadata

__all__ = ["caches", "effects", "evaluations", "evidence", "metadata", "repositories"]
