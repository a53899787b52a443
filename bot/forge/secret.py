"""A secret's text, kept in memory only: it never shows in a repr, a log or an exception."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Secret:
    """A token's text. Only `reveal` gives it away."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The token, for the one header it belongs in."""
        return self._text

    def __str__(self) -> str:
        return "(hidden)"
