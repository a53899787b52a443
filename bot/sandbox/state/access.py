"""What lets a caller in: installations, tokens, and sign-ins and manifests that wait for their code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bot.sandbox.state.accounts import Account, App
from bot.sandbox.state.repo import Repo


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
