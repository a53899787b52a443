"""Repeatable choices for the generator: the same seed gives the same numbers on every Python.

Not `random`, whose derived methods may differ between versions; nothing secret is made here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of numbers that a text seeds."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._thrown = 0

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit - 1`."""
        self._thrown += 1
        digest = hashlib.sha256(f"{self._seed}/{self._thrown}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % limit

    def between(self, low: float, high: float) -> float:
        """A number from `low` to just under `high`, in steps of a millionth of the span."""
        return low + (high - low) * self.below(1_000_000) / 1_000_000

    def one_of(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def digits16(self, count: int) -> str:
        """`count` lowercase hex digits, at most 64."""
        self._thrown += 1
        return hashlib.sha256(f"{self._seed}/{self._thrown}".encode()).hexdigest()[:count]
