"""Answers about the App: itself, its installations and tokens, its webhook, the accounts that use it.

What a user may do in a repository is in `bot.forge.payloads.repositories`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field, field_validator

from bot.forge.payloads.payload import Payload


class TokenPayload(Payload):
    """POST /app/installations/{id}/access_tokens."""

    token: str
    expires_at: datetime


class UserTokenPayload(Payload):
    """POST /login/oauth/access_token, where it worked."""

    access_token: str = Field(min_length=1, max_length=1000)


class UserPayload(Payload):
    """An account."""

    login: str


class PersonPayload(UserPayload):
    """The account of a token's owner."""

    id: int = Field(gt=0)


class InstallationPayload(Payload):
    """An installation of the App. The account may be an enterprise, which has no login."""

    id: int
    account: UserPayload | None = None
    suspended_at: datetime | None = None
    permissions: dict[str, str] = Field(default={})

    @field_validator("account", mode="before")
    @classmethod
    def _enterprise(cls, value: object) -> object:
        return value if isinstance(value, dict) and "login" in value else None


class AppPayload(Payload):
    """GET /app. `permissions` and `events` are what the App asks for; installations may have accepted less."""

    id: int
    slug: str
    client_id: str = ""
    permissions: dict[str, str] = Field(default={})
    events: tuple[str, ...] = ()


class HookConfigPayload(Payload):
    """GET /app/hook/config. GitHub masks the secret; it is not read."""

    url: str = ""
    content_type: str = ""
    insecure_ssl: str | float = "0"


class ConversionPayload(Payload):
    """POST /app-manifests/{code}/conversions."""

    model_config = ConfigDict(hide_input_in_errors=True)

    id: int
    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    html_url: str
    client_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    client_secret: str = Field(repr=False)
    webhook_secret: str | None = Field(repr=False)
    pem: str = Field(repr=False)


class DeliveryPayload(Payload):
    """One try of one webhook delivery. `guid` is shared by a delivery and its redeliveries."""

    id: int
    guid: str
    delivered_at: datetime
    status_code: int = 0
    event: str = ""
