"""The names of things as types of their own: a run id is no job id, a commit no blob."""

from __future__ import annotations

from typing import NewType

RepositoryId = NewType("RepositoryId", int)
RunId = NewType("RunId", int)
JobId = NewType("JobId", int)
CommitSha = NewType("CommitSha", str)  # 40 lowercase hex digits
BlobSha = NewType("BlobSha", str)  # 40 lowercase hex digits
TestPath = NewType("TestPath", str)
Suite = NewType("Suite", str)
Backend = NewType("Backend", str)  # "cuda" in register_cuda_ci
