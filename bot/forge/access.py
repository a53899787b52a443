"""One repository on GitHub as one task sees it. Fulfils `bot.tasks.ports.Forge` from this package's parts.

Reads go through gidgethub with a token that can only read; writes through PyGithub in a thread, one
instance each, with a token that can write contents, pull requests and issues of this repository.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

import aiohttp

from bot.config_file import Unreadable
from bot.domain import CommitNote, CommitSha, RepositoryId, Run, RunId, TestPath
from bot.errors import GoneError
from bot.forge.answers import RefusedError
from bot.forge.beginning import read_beginning
from bot.forge.checks import Checks
from bot.forge.client import DEFAULT_POLICY, GitHubClient, RetryPolicy
from bot.forge.commits import Commits
from bot.forge.config import read_config
from bot.forge.endpoint import Endpoint
from bot.forge.grants import CHECKS, PUBLISH, READ, Grant
from bot.forge.history import read_commit, read_commit_object, read_divergence, read_touching
from bot.forge.issues import OwnComments, OwnIssues
from bot.forge.permissions import role_of
from bot.forge.pulls import Pulls
from bot.forge.refs import Refs, RepositoryNode
from bot.forge.repository import branch_tip, read_repository
from bot.forge.reviews import OwnReviews
from bot.forge.runs import GitHubRuns
from bot.forge.tokens import Granted, Tokens
from bot.forge.tree import GitHubTree
from bot.forge.writes import WriteSession
from bot.publish.ports.checks import CheckReport, CheckState
from bot.records.measurements import RunQuery
from bot.records.repositories import Repository
from bot.tasks.ports import Beginning, CommitFacts, CommitObject, Divergence, Writes

T = TypeVar("T")
_CONFIGS_HELD = 8  # of the last tips


@dataclass(frozen=True, slots=True)
class Author:
    """Who we are: the App's id (0 with a plain token), and who tells the login our texts appear under."""

    app_id: int
    login: Callable[[], Awaitable[str]]

    @classmethod
    def known(cls, app_id: int, login: str) -> Author:
        """One whose login has been told already."""

        async def told() -> str:
            return login

        return cls(app_id, told)


@dataclass(frozen=True, slots=True)
class Place:
    """Which repository, by name and (0: unknown) by id, where its logs are kept meanwhile, how patiently it is read."""

    repository: str
    repository_id: int
    log_root: Path
    policy: RetryPolicy = DEFAULT_POLICY

    def narrowed(self, grant: Grant) -> Grant:
        """The grant for this repository alone."""
        return grant.on(RepositoryId(self.repository_id)) if self.repository_id else grant.named(self.repository)


class Files(GitHubTree):
    """The repository's files, and single commits and branches of it."""

    def __init__(self, client: GitHubClient, repository: str) -> None:
        super().__init__(client, repository)
        self._reader = client
        self._repository = repository
        self._configs: OrderedDict[CommitSha, bytes | None] = OrderedDict()

    async def tip(self, branch: str) -> CommitSha:
        """Where a branch is."""
        return await branch_tip(self._reader, self._repository, branch)

    async def config(self, commit: CommitSha) -> bytes | Unreadable | None:
        """The configuration file at a commit."""
        if commit in self._configs:
            return self._configs[commit]
        return await read_config(self._reader, self._repository, commit)

    async def beginning(self) -> Beginning:
        """The repository and its default branch's tip; what a commit has for a configuration never changes."""
        read = await read_beginning(self._reader, self._repository)
        if read.tip is not None and not isinstance(read.config, Unreadable):
            self._configs[read.tip] = read.config
            while len(self._configs) > _CONFIGS_HELD:
                self._configs.popitem(last=False)
        return Beginning(read.repository, read.tip)

    async def commit_facts(self, commit: CommitSha) -> CommitFacts:
        """What one commit says and changes."""
        read = await read_commit(self._reader, self._repository, commit)
        changed = {path: blob or "" for path, blob in read.changed.items()}
        return CommitFacts(read.message, read.parent, changed, read.parents)

    async def commit_object(self, commit: CommitSha) -> CommitObject:
        """The tree and the parents of one commit."""
        return CommitObject(*await read_commit_object(self._reader, self._repository, commit))

    async def touching(self, path: TestPath, since: CommitSha | None, until: CommitSha) -> tuple[CommitNote, ...]:
        """The newest commits of `until` that touch a file and are no part of `since`."""
        return await read_touching(self._reader, self._repository, path, (since, until))

    async def divergence(self, branch: str, head: CommitSha) -> Divergence:
        """How a head stands to a branch."""
        return Divergence(*await read_divergence(self._reader, self._repository, branch, head))


class Runs:
    """The repository's runs."""

    def __init__(self, runs: GitHubRuns, repository: str) -> None:
        self._repository = repository
        self._runs = runs
        self.jobs = runs.jobs
        self.log = runs.log

    async def run(self, run_id: RunId, attempt: int | None = None) -> Run:
        """One attempt of a run.

        Raises:
            GoneError: there is none, or not any more.
        """
        try:
            return await self._runs.run(self._repository, run_id, attempt)
        except RefusedError as error:
            if error.status in (404, 410):
                raise GoneError(f"run {run_id}, attempt {attempt or 'newest'}: {error}") from None
            raise

    async def recent(self, query: RunQuery, most: int) -> tuple[Run, ...]:
        """The newest completed runs that match, newest first; their newest attempts.

        Raises:
            GoneError: the query names a workflow file that is not there.
        """
        try:
            return await self._runs.recent(self._repository, query, most)
        except RefusedError as error:
            if query.workflow and error.status == HTTPStatus.NOT_FOUND:
                raise GoneError(f"workflow {query.workflow}: {error}") from None
            raise

    async def any_run(self, event: str, since: datetime, head: CommitSha | None = None) -> bool:
        """True where a run of an event was created since a moment (on a head), however it stands."""
        return await self._runs.any_run(self._repository, event, since, head or "")


def _writes(session: WriteSession, login: str, node: RepositoryNode) -> Writes:
    return Writes(
        commits=Commits(session),
        refs=Refs(session, node),
        pulls=Pulls(session),
        issues=OwnIssues(session, login),
        comments=OwnComments(session, login),
        reviews=OwnReviews(session, login),
    )


class RepositoryAccess:
    """Everything a task does with one repository."""

    def __init__(
        self, session: aiohttp.ClientSession, endpoint: Endpoint, tokens: Tokens, author: Author, place: Place
    ) -> None:
        self.web = endpoint.web
        self.app_id = author.app_id
        self._endpoint = endpoint
        self._tokens = tokens
        self._author = author
        self._repository = place.repository
        self._node = RepositoryNode()
        self._publish = place.narrowed(PUBLISH)
        self._checks = place.narrowed(CHECKS)
        self._client = GitHubClient(session, endpoint, Granted(tokens, place.narrowed(READ)), place.policy)
        self.files = Files(self._client, place.repository)
        self.runs = Runs(GitHubRuns(self._client, session, place.log_root), place.repository)

    def __repr__(self) -> str:
        return f"RepositoryAccess({self._repository})"

    async def facts(self) -> Repository:
        """What GitHub says of the repository now."""
        return await read_repository(self._client, self._repository)

    async def beginning(self) -> Beginning:
        """The same with the default branch's tip."""
        return await self.files.beginning()

    async def write(self, work: Callable[[Writes], T]) -> T:
        """Do `work` in a thread, with its own connection and a token for this repository alone."""
        login = await self._author.login()
        return await self._signed(self._publish, lambda session: work(_writes(session, login, self._node)))

    async def check(self, report: CheckReport) -> CheckState:
        """Put a check run, with a token that may do nothing else."""
        return await self._signed(self._checks, lambda session: Checks(session).put(report))

    async def checks_on(self, head: CommitSha) -> tuple[str, ...]:
        """The external ids of our newest check runs on a commit, one of each name."""
        return await self._signed(self._checks, lambda session: Checks(session).identities(head, self.app_id))

    async def _signed(self, grant: Grant, work: Callable[[WriteSession], T]) -> T:
        """Do it once more where GitHub revoked the token we hold: what was done is found, as after a crash."""
        try:
            return await self._once(grant, work)
        except RefusedError as error:
            if error.status != HTTPStatus.UNAUTHORIZED or not self._tokens.forget(grant):
                raise
        return await self._once(grant, work)

    async def _once(self, grant: Grant, work: Callable[[WriteSession], T]) -> T:
        secret = await self._tokens.token(grant)

        def act() -> T:
            with WriteSession(self._endpoint, secret, self._repository) as session:
                return work(session)

        return await asyncio.to_thread(act)

    async def role(self, login: str) -> str:
        """The role of an account in this repository, now."""
        return (await role_of(self._client, self._repository, login)).value
