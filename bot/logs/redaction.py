"""The last thing done to a log line: what is, or looks like, a secret is taken out.

Secrets are never handed to a log on purpose; this is for the library or the error message that does it all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST = 8  # a given secret shorter than this would take words out of every line
REPLACED = "[secret]"
# GitHub's own prefixes (docs.github.com, "About authentication to GitHub"), JSON web tokens, authorization
# headers, the password of an address, the signature of a signed link, a PEM block on one line.
_LOOKS = re.compile(
    r"\bgh[a-z]_[A-Za-z0-9_.-]{16,1000}"
    r"|github_pat_[A-Za-z0-9_]{20,255}"
    r"|eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,2000}"
    r"|(?<=bearer )[^\s\"']{8,4000}"
    r"|(?<=basic )[A-Za-z0-9+/=]{8,4000}"
    r"|(?<=[?&]sig=)[^&\s\"']{8,1000}"
    r"|(?<=://)[^/\s:@\"']{0,255}:[^/\s@\"']{1,255}(?=@)"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\s\S]){0,8000}",
    re.IGNORECASE,
)


class Redaction:
    """Knows some secrets by their text, and others by their looks."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        lines = {line.strip() for secret in secrets for line in secret.splitlines() if "-----" not in line}
        known = sorted((line for line in lines if len(line) >= SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def of(self, text: str) -> str:
        """The text without them."""
        if self._known is not None:
            text = self._known.sub(REPLACED, text)
        return _LOOKS.sub(REPLACED, text)
