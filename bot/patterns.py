"""Patterns of log lines that a person writes: literal text with placeholders, never a regular expression.

`{done}` and `{total}` stand for a whole number of at most nine digits, `{value}` for a word of at most
80 characters. Matching takes time in proportion to the line, whatever the pattern is. What a match
means is for those who ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

MAX_PATTERN = 200  # characters
MAX_LINE = 4096  # bytes of a line that are looked at
_HOLE = re.compile(r"\{(done|total|value)\}")
# Digits are taken possessively; a value ends at a blank, a quote or a bracket, of which no literal
# after it can be a part, so nothing is ever tried twice.
_NUMBER = rb"([0-9]{1,9}+)(?![0-9])"
_VALUE = rb"([^\s'\"(){}\[\],;]{1,80}+)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that can be used. `hint` is a literal part that every matching line holds."""

    text: str
    holes: tuple[str, ...]
    hint: bytes
    _found: re.Pattern[bytes]

    def search(self, line: bytes) -> Mapping[str, str] | None:
        """What the placeholders stand for at the last place where the line matches; None where none does."""
        if self.hint not in line:
            return None
        found = list(self._found.finditer(line[:MAX_LINE]))
        if not found:
            return None
        last = found[-1]
        return {hole: part.decode("utf-8", "replace") for hole, part in zip(self.holes, last.groups(), strict=True)}


@lru_cache(maxsize=256)
def compiled(text: str) -> Pattern:
    """A pattern out of its text.

    Raises:
        ValueError: it is too long, has no literal text, holds a placeholder twice, or one whose end the
            text after it does not show.
    """
    if len(text) > MAX_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters")
    parts = _HOLE.split(text)
    literals, holes = parts[::2], tuple(parts[1::2])
    if not any(literal.strip() for literal in literals):
        raise ValueError("a pattern needs some text beside its placeholders")
    if len(set(holes)) != len(holes):
        raise ValueError("a pattern has each placeholder at most once")
    if any(not _ends(hole, literal) for hole, literal in zip(holes, literals[1:], strict=True)):
        raise ValueError("a number must not be followed by a digit, a value only by a blank, quote, bracket, , or ;")
    if any(not literal for literal in literals[1:-1]):
        raise ValueError("two placeholders need some text between them")
    source = re.escape(literals[0].encode())
    for hole, literal in zip(holes, literals[1:], strict=True):
        source += (_VALUE if hole == "value" else _NUMBER) + re.escape(literal.encode())
    start = rb"(?<![A-Za-z0-9_])" if re.match(r"\w", text) else b""
    return Pattern(text, holes, max(literals, key=len).encode(), re.compile(start + source))


def _ends(hole: str, literal: str) -> bool:
    """True where the text after a placeholder cannot be a part of what it stands for."""
    return not literal or (not literal[0].isdigit() if hole != "value" else literal[0] in " \t'\"(){}[],;")
