"""The world of the sandbox as plain mutable values: accounts, the App, repositories and what they hold.

No protocol and no rendering: `rest_*.py` and `graphql.py` act on these values, `views_*.py` write
them as GitHub's JSON, `scenario.py` fills them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.globs import matches_any
from bot.sandbox.git_store import GitStore
from bot.sandbox.traffic import Arrival, CallRecord, Delivery, Exchange, Fault

Clock = Callable[[], datetime]
Json = dict[str, Any]


def wall_clock() -> datetime:
    """Now, in UTC, whole seconds as GitHub shows them."""
    return datetime.now(UTC).replace(microsecond=0)


class AccountKind(StrEnum):
    """GitHub's `type` of an account."""

    USER = "User"
    BOT = "Bot"
    ORGANIZATION = "Organization"


@dataclass(frozen=True, slots=True)
class Account:
    """A person, a bot or an organization."""

    id: int
    login: str
    kind: AccountKind = AccountKind.USER


class LogFate(StrEnum):
    """What GitHub answers for one job's log."""

    SERVED = "served"
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410: expired
    FORBIDDEN = "forbidden"  # 403
    EMPTY = "empty"  # 200 without a byte
    EXPIRED_LINK = "expired_link"  # the first signed URL is too old already


@dataclass(slots=True)
class JobLogFile:
    """The log of one job: a file on disk, or why there is none."""

    path: Path | None = None
    fate: LogFate = LogFate.SERVED


@dataclass(slots=True)
class RunAttempt:
    """One attempt of one workflow run: GitHub's run object without URLs and repository, and its jobs."""

    run: Json
    jobs: list[Json]
    total_count: int | None = None  # a count that differs from the jobs listed, where a scenario wants one


@dataclass(slots=True)
class Workflow:
    """One workflow file."""

    id: int
    path: str
    name: str


@dataclass(slots=True)
class Label:
    """One label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(slots=True)
class Comment:
    """One comment of an issue or pull request."""

    id: int
    number: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None


@dataclass(slots=True)
class Reaction:
    """One reaction to a comment or issue."""

    id: int
    author: Account
    content: str
    created_at: datetime


@dataclass(slots=True)
class Review:
    """One submitted review of a pull request, with its comments as they were sent."""

    id: int
    number: int
    author: Account
    body: str
    commit: str
    submitted_at: datetime
    comments: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class Pull:
    """What a pull request has beyond its issue. Head and base of a closed one are frozen."""

    id: int
    head_ref: str
    base_ref: str
    draft: bool = False
    head_sha: str = ""
    base_sha: str = ""
    previous_sha: str = ""  # the head before the newest push
    merged_at: datetime | None = None
    merge_sha: str | None = None
    merged_by: Account | None = None
    reviewers: list[Account] = field(default_factory=list)
    fork: Repo | None = None  # where the head branch is, when not in the repository itself


@dataclass(slots=True)
class Issue:
    """An issue, and with `pull` a pull request: they share one sequence of numbers."""

    id: int
    number: int
    author: Account
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    closed_by: Account | None = None
    state_reason: str | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    app: App | None = None
    pull: Pull | None = None
    locked: bool = False

    @property
    def state(self) -> str:
        """`open` or `closed`."""
        return "open" if self.closed_at is None else "closed"


@dataclass(slots=True)
class CheckRun:
    """One check run; annotations only ever grow."""

    id: int
    suite_id: int
    app: App
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class Repo:
    """One repository and everything GitHub keeps beside its git data."""

    id: int
    owner: Account
    name: str
    git: GitStore
    created_at: datetime
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    roles: dict[str, str] = field(default_factory=dict)  # login -> read, triage, write, maintain, admin
    associations: dict[str, str] = field(default_factory=dict)  # login -> author_association; not a permission
    protected: tuple[str, ...] = ()  # globs of full reference names that nobody may write
    tree_limit: int | None = None  # entries after which a recursive listing says `truncated`
    workflows: list[Workflow] = field(default_factory=list)
    runs: dict[int, dict[int, RunAttempt]] = field(default_factory=dict)
    logs: dict[int, JobLogFile] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    reactions: dict[tuple[str, int], list[Reaction]] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)  # commits that GitHub signed
    commit_authors: dict[str, Account] = field(default_factory=dict)  # e-mail address -> account

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner.login}/{self.name}"

    def is_protected(self, ref: str) -> bool:
        """True where a rule forbids any write of the full reference name."""
        return matches_any(self.protected, ref)

    def pulls(self) -> list[Issue]:
        """Its pull requests, oldest first."""
        return [issue for issue in self.issues.values() if issue.pull is not None]


@dataclass(slots=True)
class App:
    """A registered GitHub App. The private key never leaves `auth.py` and the caller who made it."""

    id: int
    slug: str
    name: str
    owner: Account
    bot: Account
    public_pem: bytes
    created_at: datetime
    permissions: dict[str, str]
    events: tuple[str, ...]
    client_id: str = ""
    webhook_secret: str = ""
    webhook_url: str = ""
    client_secret: str = ""
    callback_url: str = ""  # where a person who signs in through the App is sent back to


@dataclass(slots=True)
class Installation:
    """The App on one account. `repositories` None means all of them."""

    id: int
    app: App
    account: Account
    permissions: dict[str, str]
    created_at: datetime
    repositories: set[int] | None = None
    suspended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token: of an installation, or of a person where `installation` is None."""

    secret: str
    actor: Account
    permissions: dict[str, str]
    expires_at: datetime | None
    installation: Installation | None = None
    repositories: frozenset[int] | None = None
    within: Callable[[Repo], bool] = field(default=lambda _: True, compare=False)  # what else bounds a person's token


@dataclass(frozen=True, slots=True)
class SignIn:
    """A person who agreed to sign in through an App, until the App asks for their token with the code."""

    app: App
    person: Account
    challenge: str  # PKCE's, "" where none was sent
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class MadeFromManifest:
    """An App that a person agreed to, until whoever sent the manifest asks for its secrets with the code."""

    app: App
    private_pem: bytes = field(repr=False)
    expires_at: datetime


@dataclass(slots=True)
class World:
    """Everything one sandbox knows."""

    directory: Path
    clock: Clock = wall_clock
    accounts: dict[str, Account] = field(default_factory=dict)
    apps: dict[int, App] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    repos: dict[str, Repo] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)  # former owner/name in lower case -> present one
    tokens: dict[str, Token] = field(default_factory=dict)
    sign_ins: dict[str, SignIn] = field(default_factory=dict)  # by code
    manifests: dict[str, MadeFromManifest] = field(default_factory=dict)  # by code
    deliveries: list[Delivery] = field(default_factory=list)
    outbox: list[Delivery] = field(default_factory=list)
    announces: bool = False  # what calls change is told to the App by webhooks, as github.com does
    journal: list[CallRecord] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    watchers: list[Callable[[Exchange], None]] = field(default_factory=list)  # told of everything said
    gates: list[Callable[[Arrival], None]] = field(default_factory=list)  # told of every request before it is answered
    answered: dict[tuple[str, str, str], Any] = field(default_factory=dict)  # reads as they were answered last
    api_url: str = ""  # .../api/v3, set when the server listens
    html_url: str = ""
    logs_url: str = ""  # the second origin
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1_000_001))

    def next_id(self) -> int:
        """A number that no other object of this world has."""
        return next(self._ids)

    def account(self, login: str, kind: AccountKind = AccountKind.USER) -> Account:
        """The account of that login, made where there is none."""
        key = login.lower()
        if key not in self.accounts:
            self.accounts[key] = Account(self.next_id(), login, kind)
        return self.accounts[key]

    def repo(self, full_name: str) -> Repo | None:
        """A repository by owner/name, whatever the case."""
        return self.repos.get(full_name.lower())

    def rename(self, repo: Repo, owner: Account, name: str) -> None:
        """Rename or transfer a repository; GitHub goes on answering for its old name by a redirect."""
        old = repo.full_name
        del self.repos[old.lower()]
        repo.owner, repo.name = owner, name
        self.repos[repo.full_name.lower()] = repo
        self.moved[old.lower()] = repo.full_name

    def repo_by_id(self, number: int) -> Repo | None:
        """A repository by its id."""
        return next((repo for repo in self.repos.values() if repo.id == number), None)

    def installation_for(self, repo: Repo) -> Installation | None:
        """The installation that covers a repository."""
        for installation in self.installations.values():
            covers = installation.repositories is None or repo.id in installation.repositories
            if covers and installation.account == repo.owner:
                return installation
        return None

    def tell(self, exchange: Exchange) -> None:
        """Show an exchange to whoever watches."""
        for watcher in self.watchers:
            watcher(exchange)

    def calls(self) -> Counter[str]:
        """How many requests each route got: `GET /repos/{owner}/{repo}` and the like."""
        return Counter(f"{record.method} {record.route}" for record in self.journal)
