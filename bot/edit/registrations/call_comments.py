"""Comments beside a call that name a measurement, such as `# seen 5071-5923s`.

A number that is changed next to such a comment leaves the comment untrue; a person should know.
Comments are never edited.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from bot.edit.source_text import Lines

_SECONDS = re.compile(r"\d ?(?:(?:s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?)\b|秒)", re.IGNORECASE)
_LINES_ABOVE = 20
_MOST = 4000  # characters beside one call; a line that holds much more is not written for people


def mentions_seconds(lines: Lines, first: int, last: int) -> bool:
    """True where a comment inside or behind lines `first`..`last`, or directly above, names a duration."""
    above = []
    for number in range(first - 1, max(0, first - 1 - _LINES_ABOVE), -1):
        line = lines.line(number).strip()
        if not line.startswith("#"):
            break
        above.append(line)
    beside = "".join(lines.line(number)[:_MOST] for number in range(first, min(last, first + _MOST) + 1))[:_MOST]
    return says_seconds(above + (_comments(beside) if "#" in beside else []))


def says_seconds(comments: Iterable[str]) -> bool:
    """True where one of the comments names a duration."""
    return any(_SECONDS.search(comment) for comment in comments)


def _comments(text: str) -> list[str]:
    """The comments of a few lines; what comes before a token that cannot be read."""
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)  # noqa: PERF401 - what was found stays when the generator fails
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
