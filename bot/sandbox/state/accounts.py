"""Accounts, and the Apps that are registered; what either may do is in `bot.sandbox.state.access`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
