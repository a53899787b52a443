"""Git's own name for content: what tells whether bytes survived a journey through JSON."""

from __future__ import annotations

import hashlib
import re

from bot.domain import BlobSha
from bot.errors import UserError

_SHA = re.compile(r"[0-9a-f]{40}\Z")

MOST_COMMITS = 20  # that are told of one file
SUBJECT_LIMIT = 200  # characters of a commit's first line


def blob_sha(content: bytes) -> BlobSha:
    """The SHA-1 that `git hash-object` gives for these bytes."""
    return BlobSha(hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest())


def checked_sha(sha: str) -> str:
    """`sha` itself, safe to be part of an address or a query.

    Raises:
        UserError: it is not a full SHA-1 in lower case.
    """
    if not _SHA.match(sha):
        raise UserError(f"{sha[:80]!r}: not a commit; give all 40 hex digits")
    return sha
