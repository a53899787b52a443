"""Records of what people saw of us: commits with their pull requests, notices. Making them is `bot.publish`'s part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain import CommitSha, RepositoryId


class PullRequestEnd(StrEnum):
    """How a pull request of ours ended."""

    MERGED = "merged"
    CLOSED = "closed"  # by a person, unmerged: its values are not proposed again
    WITHDRAWN = "withdrawn"  # by us: there was nothing left to change


@dataclass(frozen=True, slots=True)
class Publication:
    """One commit of ours on a rolling branch. `digest` names its proposals and identities.

    `merge_commit` is what the base got when a person merged it: a squash has a SHA of its own.
    """

    repository_id: RepositoryId
    commit: CommitSha
    branch: str
    base: str
    base_sha: CommitSha
    digest: str
    published_at: datetime
    evidence_commit: CommitSha | None = None
    pull_request: int | None = None
    evaluation_id: str | None = None
    end: PullRequestEnd | None = None
    merge_commit: CommitSha | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """An issue of the App's own about one trouble: said once, withdrawn when healed.

    `issue` is the issue's number; `digest` names the text it carries; `closed_at` is None while open.
    """

    repository_id: RepositoryId
    key: str
    issue: int
    digest: str
    opened_at: datetime
    closed_at: datetime | None = None
