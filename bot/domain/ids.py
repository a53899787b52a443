"""The names of things as types of their own: a run id is no job id, a commit no blob; and git's name for bytes."""

from __future__ import annotations

import hashlib
from typing import NewType

RepositoryId = NewType("RepositoryId", int)
RunId = NewType("RunId", int)
JobId = NewType("JobId", int)
CommitSha = NewType("CommitSha", str)  # 40 lowercase hex digits
BlobSha = NewType("BlobSha", str)  # 40 lowercase hex digits
TreeSha = NewType("TreeSha", str)  # 40 lowercase hex digits
TestPath = NewType("TestPath", str)
Suite = NewType("Suite", str)
Backend = NewType("Backend", str)  # "cuda" in register_cuda_ci


def blob_sha(content: bytes) -> BlobSha:
    """What `git hash-object` calls these bytes: SHA-1 over a header and them (git-scm.com/book, Git Objects)."""
    return BlobSha(hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest())
