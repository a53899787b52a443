"""Everything one sandbox knows, and its clock. Nothing here is sent or answered."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.sandbox.state.access import Installation, MadeFromManifest, SignIn, Token
from bot.sandbox.state.accounts import Account, AccountKind, App
from bot.sandbox.state.repo import Repo
from bot.sandbox.traffic import Arrival, CallRecord, Delivery, Exchange, Fault

Clock = Callable[[], datetime]


def wall_clock() -> datetime:
    """Now, in UTC, whole seconds as GitHub shows them."""
    return datetime.now(UTC).replace(microsecond=0)


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
