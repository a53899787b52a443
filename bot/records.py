"""What is remembered between runs, as frozen values: handed to the store and got back from it.

No I/O here. What one evaluation computes is in `bot.domain`; how rows are kept is the store's part.
Times carry their zone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    NightlyFilter,
    Registration,
    RepositoryId,
    RunId,
    ScheduledFile,
    Suite,
    TaskKind,
    TaskRequest,
    TestPath,
)
from bot.repo_config import RepoConfig


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation of the App on an account."""

    installation_id: int
    account: str
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class InstallationLacks:
    """An installation as GitHub lists it, with the permissions it does not grant, such as `checks: write`."""

    installation: Installation
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repository:
    """What GitHub says of a repository. `full_name` is the present owner/name; the id is what counts."""

    repository_id: RepositoryId
    full_name: str
    installation_id: int | None = None  # None: the App has no access any more
    default_branch: str = ""
    private: bool = False
    archived: bool = False


class ConfigStatus(StrEnum):
    """The four states of a configuration file, and the one before it was ever looked at."""

    UNSEEN = "unseen"
    ABSENT = "absent"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    VALID = "valid"


@dataclass(frozen=True, slots=True)
class ConfigSnapshot:
    """The configuration as last read, and at which commit.

    `config` is None where there is nothing to go by (unseen, unreadable, invalid). `nightly` is
    what routing asks of it.
    """

    status: ConfigStatus = ConfigStatus.UNSEEN
    commit: CommitSha | None = None
    config: RepoConfig | None = None
    nightly: NightlyFilter | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What we remember of a repository beyond what GitHub says."""

    config: ConfigSnapshot = field(default_factory=ConfigSnapshot)
    paused: bool = False
    first_pr_done: bool = False


@dataclass(frozen=True, slots=True)
class NotedDelivery:
    """One webhook POST and what became of it."""

    guid: str
    event: str
    verdict: str
    received_at: datetime
    action: str = ""
    repository_id: RepositoryId | None = None


@dataclass(frozen=True, slots=True)
class FailedDelivery:
    """A delivery none of whose tries was answered with success. `delivery_id` names the newest try."""

    delivery_id: int
    guid: str
    event: str
    delivered_at: datetime
    tries: int = 1


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs to list: completed ones created since a moment, of one workflow (a file name or path; "": any)."""

    workflow: str
    event: str
    branch: str
    since: datetime


@dataclass(frozen=True, slots=True)
class NightWindow:
    """Which stored nights to read: the newest `nights` run ids, all their attempts.

    A run counts when it is trusted, scheduled files in any attempt or lost a log that may have said so,
    and was created in `since` .. `until` (both inclusive, None: no bound). `workflows` names workflow
    files; empty: any.
    """

    nights: int
    since: datetime | None = None
    until: datetime | None = None
    workflows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownTiming:
    """One stored row of evidence with the facts that came later."""

    row: ScheduledFile
    night_at: datetime | None
    carried_over: bool
    blob_at_head: BlobSha | None = None


@dataclass(frozen=True, slots=True)
class MeasuredPass:
    """One pass of a night, as a backtest reads it."""

    night_at: datetime
    suite: Suite
    backend: Backend
    path: TestPath
    elapsed_s: int


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What came after a timing was read: its file's blob at the head, and why it was not used.

    `reason` is "" where it was used, or nobody has asked yet.
    """

    blob_at_head: BlobSha | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeenRegistration:
    """One registration as it was written, from the first commit it was seen at to the last."""

    registration: Registration
    first_commit: CommitSha
    first_seen_at: datetime
    last_commit: CommitSha
    last_seen_at: datetime


class Role(StrEnum):
    """What one process of the service does."""

    ALL = "all"
    WEB = "web"  # receives and enqueues
    WORKER = "worker"  # works on tasks and watches over the others


@dataclass(frozen=True, slots=True)
class Host:
    """One process of the service. `beats` rises while it lives; `version` is that of the steps it takes."""

    executor_id: str
    role: Role
    version: str
    beats: int = 0
    beat_at: datetime | None = None  # by its own clock; for a person to read

    @property
    def works(self) -> bool:
        """True where it works on tasks."""
        return self.role is not Role.WEB


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
class TaskOutcome:
    """How a task ended. `name` is an enum member's value; `detail` one sentence for a person."""

    task_id: str
    repository_id: RepositoryId
    kind: TaskKind
    name: str
    ended_at: datetime
    run_id: RunId | None = None
    attempt: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Parked:
    """A task that still owes a step, which failed in a passing way for too long.

    `request` is its next take. `due_at` None: that one was asked for and has not ended.
    """

    key: str
    repository_id: RepositoryId
    request: TaskRequest
    owed: str
    due_at: datetime | None


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
