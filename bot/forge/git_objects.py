"""Names of git objects that come from elsewhere, checked before they are part of an address."""

from __future__ import annotations

import re

from bot.errors import UserError

_SHA = re.compile(r"[0-9a-f]{40}\Z")

MOST_COMMITS = 20  # that are told of one file
SUBJECT_LIMIT = 200  # characters of a commit's first line


def checked_sha(sha: str) -> str:
    """`sha` itself, safe to be part of an address or a query.

    Raises:
        UserError: it is not a full SHA-1 in lower case.
    """
    if not _SHA.match(sha):
        raise UserError(f"{sha[:80]!r}: not a commit; give all 40 hex digits")
    return sha
