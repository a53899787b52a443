"""Single cells of a history: from a value to text and back, and safe in a spreadsheet.

Cells that a spreadsheet would run as formulas get a leading apostrophe, which is taken away again.
Every reader here raises ValueError for a cell that cannot be what its column holds.
"""

from __future__ import annotations

from datetime import datetime

from bot.publish.evidence_csv import guarded

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
SIGNED_64 = 1 << 63


def guarded_cell(cell: str) -> str:
    """As in evidence; a cell that begins with the apostrophe itself gets one too, so that it comes back."""
    return f"'{cell}" if cell.startswith("'") else guarded(cell)


def unguarded(cell: str) -> str:
    """What a guarded cell was before."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA and len(cell) > 1 else cell


def number(value: int | None) -> str:
    """A whole number, or nothing."""
    return "" if value is None else str(value)


def flag(value: bool) -> str:  # noqa: FBT001 - a value to write, no switch
    """A truth."""
    return "true" if value else "false"


def moment(value: datetime | None) -> str:
    """A moment with its zone, or nothing."""
    return value.isoformat() if value else ""


def whole_number(text: str) -> int:
    """A number from 0 that fits a database."""
    if not (text.isascii() and text.isdigit()) or not 0 <= int(text) < SIGNED_64:
        raise ValueError(text)
    return int(text)


def maybe(text: str) -> int | None:
    """The same, or None for nothing."""
    return whole_number(text) if text else None


def given(text: str) -> str:
    """A text that is not empty."""
    if not text:
        raise ValueError("empty")
    return text


def truth(text: str) -> bool:
    """What `flag` wrote."""
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def when(text: str) -> datetime | None:
    """What `moment` wrote; it must name its zone."""
    if not text:
        return None
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("no zone")
    return found


def sha(text: str) -> str:
    """A full object name."""
    if len(text) != 40 or set(text) - set("0123456789abcdef"):
        raise ValueError(text)
    return text
