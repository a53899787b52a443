"""What was made last, within bounds of count and size: `Recent`. The newest stays, however large it is."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """At most `count` values of together at most `size` bytes, the newest whatever its size."""

    def __init__(self, count: int, size: int) -> None:
        self._count = count
        self._size = size
        self._made: OrderedDict[str, tuple[Made, int]] = OrderedDict()

    def keep(self, name: str, made: Made, size: int) -> None:
        """Keep a value of `size` bytes under its name, and forget the oldest of what is beyond the bounds."""
        self._made.pop(name, None)
        self._made[name] = made, size
        while len(self._made) > 1 and self._beyond():
            self._made.popitem(last=False)

    def find(self, name: str) -> Made | None:
        """The value, None where it is forgotten or was never kept."""
        found = self._made.get(name)
        return found[0] if found else None

    def _beyond(self) -> bool:
        return len(self._made) > self._count or sum(size for _, size in self._made.values()) > self._size
