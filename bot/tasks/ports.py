"""What a task needs of GitHub: one repository, read asynchronously and written in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from bot.config_file import Unreadable
from bot.domain import CommitNote, CommitSha, Run, RunId, TestPath, TreeSha
from bot.edit.ports import SourceTree
from bot.evidence.ports import RunSource
from bot.publish.ports.checks import CheckReport, CheckState
from bot.publish.ports.comments import Comments
from bot.publish.ports.commits import CommitWriter
from bot.publish.ports.issues import Issues
from bot.publish.ports.pulls import PullRequests
from bot.publish.ports.refs import RefStore
from bot.publish.ports.reviews import Reviews
from bot.records.deliveries import FailedDelivery
from bot.records.measurements import RunQuery
from bot.records.repositories import Installation, InstallationLacks, Repository

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Writes:
    """The ports that change one repository, good for one piece of work in one thread."""

    commits: CommitWriter
    refs: RefStore
    pulls: PullRequests
    issues: Issues
    comments: Comments
    reviews: Reviews


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """What a commit says and changes against its only parent. `parent` None: none, or several."""

    message: str
    parent: CommitSha | None
    changed: dict[str, str]  # path → blob SHA, "" for a deleted file
    parents: tuple[CommitSha, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitObject:
    """What git keeps of a commit: the names of its tree and of what it stands on."""

    tree: TreeSha
    parents: tuple[CommitSha, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a branch is now, and the newest commit that it and some head have in common."""

    tip: CommitSha
    merge_base: CommitSha


@dataclass(frozen=True, slots=True)
class Beginning:
    """The repository now, and the tip of its default branch where that was to be had with it."""

    repository: Repository
    tip: CommitSha | None = None


class RepositoryFiles(SourceTree, Protocol):
    """Files at any commit, and what is read of single commits and branches."""

    async def tip(self, branch: str) -> CommitSha:
        """Where a branch is. Raises UserError where there is no such branch."""
        ...

    async def config(self, commit: CommitSha) -> bytes | Unreadable | None:
        """The configuration file's bytes at a commit; None where there is none."""
        ...

    async def commit_facts(self, commit: CommitSha) -> CommitFacts:
        """What one commit says and changes."""
        ...

    async def commit_object(self, commit: CommitSha) -> CommitObject:
        """The tree and the parents of one commit. Raises UserError where it is not there."""
        ...

    async def touching(self, path: TestPath, since: CommitSha | None, until: CommitSha) -> tuple[CommitNote, ...]:
        """The newest commits of `until` that touch a file and are no part of `since` (None: all of them)."""
        ...

    async def divergence(self, branch: str, head: CommitSha) -> Divergence:
        """How a head, of a fork perhaps, stands to a branch. Raises UserError where either is gone."""
        ...


class RepositoryRuns(RunSource, Protocol):
    """Workflow runs with their jobs and logs."""

    async def run(self, run_id: RunId, attempt: int | None = None) -> Run:
        """One attempt of a run, by default the newest. `trusted` is False. Raises UserError where it is gone."""
        ...

    async def recent(self, query: RunQuery, most: int) -> tuple[Run, ...]:
        """The newest completed runs that match, newest first, at most `most`; their newest attempts.

        Raises:
            GoneError: the query names a workflow file that is not there.
        """
        ...

    async def any_run(self, event: str, since: datetime, head: CommitSha | None = None) -> bool:
        """True where a run of an event was created since a moment (on a head), however it stands."""
        ...


class Forge(Protocol):
    """One repository on GitHub as one task sees it."""

    web: str  # such as https://github.com
    app_id: int  # 0 where a token is used instead of an App

    @property
    def files(self) -> RepositoryFiles:
        """Its files."""
        ...

    @property
    def runs(self) -> RepositoryRuns:
        """Its runs."""
        ...

    async def facts(self) -> Repository:
        """What GitHub says of the repository now."""
        ...

    async def beginning(self) -> Beginning:
        """The same with the default branch's tip, whose configuration then costs no question of its own."""
        ...

    async def write(self, work: Callable[[Writes], T]) -> T:
        """Do `work` in a thread with a token that may write contents, pull requests and issues only."""
        ...

    async def check(self, report: CheckReport) -> CheckState:
        """Put a check run, with a token that may write check runs only."""
        ...

    async def checks_on(self, head: CommitSha) -> tuple[str, ...]:
        """The identities of the App's newest check runs on a commit, one of each name."""
        ...

    async def role(self, login: str) -> str:
        """The role of an account here, now: none, read, triage, write, maintain or admin.

        Raises:
            UserError: it may not be asked for.
            RetryableError: GitHub did not answer: nothing is known.
        """
        ...


class Installed(Protocol):
    """Which repositories an installation of the App gives access to."""

    async def installation(self, installation_id: int) -> Installation | None:
        """The installation as it is now; None where it was removed."""
        ...

    async def repositories(self, installation_id: int) -> tuple[Repository, ...]:
        """Its repositories."""
        ...

    async def every(self) -> tuple[InstallationLacks, ...]:
        """All installations of the App, by id, with what they do not grant."""
        ...


class Deliveries(Protocol):
    """Webhook deliveries as GitHub remembers them."""

    async def failed(self, since: datetime) -> tuple[FailedDelivery, ...]:
        """Deliveries since a moment that never arrived, oldest first."""
        ...

    async def again(self, delivery: FailedDelivery) -> None:
        """Ask for one of them again, under its old GUID."""
        ...
