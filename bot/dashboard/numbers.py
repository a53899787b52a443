"""Whole numbers out of addresses: what a visitor writes there is only ever a number, or nothing."""

from __future__ import annotations

MOST_DIGITS = 18
MOST_NUMBER = 10**MOST_DIGITS - 1  # an id; every database holds it


def whole_number(text: str, most: int = MOST_NUMBER) -> int:
    """The number that ASCII digits write, from 0 to `most`; 0 for anything else."""
    found = int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else 0
    return found if found <= most else 0
