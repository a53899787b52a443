"""A repository's history as CSV and back: one line a scheduled file of each job. Opens no file.

Whole evidence can be made of it again, but for jobs without rows.
"""

from __future__ import annotations

from bot.cli.history_csv.columns import COLUMNS
from bot.cli.history_csv.reading import MOST_ROWS, Imported, RowRefusal, read
from bot.cli.history_csv.writing import Place, head, lines

__all__ = ["COLUMNS", "MOST_ROWS", "Imported", "Place", "RowRefusal", "head", "lines", "read"]
