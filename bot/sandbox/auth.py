"""The sandbox's side of GitHub App authentication: keys, JWTs, installation tokens.

It checks what GitHub checks (RS256, issuer, ten minutes, expiry by the injected clock) and narrows
tokens; what a route needs is told by the routes.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.sandbox.answers import ApiError, Caller
from bot.sandbox.state.access import Installation, Token
from bot.sandbox.state.accounts import Account, AccountKind, App
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World

PERMISSIONS = {
    "metadata": "read",
    "actions": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
}
EVENTS = ("check_run", "issue_comment", "pull_request", "workflow_run")
TOKEN_LIFE = timedelta(hours=1)  # docs.github.com, "Generating an installation access token"
MAX_JWT_LIFE = timedelta(minutes=10)
_LEVELS = {"read": 1, "write": 2, "admin": 3}


def generate_key() -> tuple[bytes, bytes]:
    """A fresh RSA key: private (PKCS#8 PEM, unencrypted) and public PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private, public


def register_app(world: World, slug: str, owner: Account, public_pem: bytes) -> App:
    """Register an App with the default permissions, events and a random webhook secret."""
    number = world.next_id()
    app = App(
        id=number,
        slug=slug,
        name=slug.capitalize(),
        owner=owner,
        bot=world.account(f"{slug}[bot]", AccountKind.BOT),
        public_pem=public_pem,
        created_at=world.clock(),
        permissions=dict(PERMISSIONS),
        events=EVENTS,
        client_id=f"Iv23{number:016x}",
        webhook_secret=secrets.token_hex(32),
        client_secret=secrets.token_hex(20),
    )
    world.apps[number] = app
    return app


def install(world: World, app: App, account: Account, repositories: Collection[Repo] | None = None) -> Installation:
    """Install the App on an account: on all repositories, or on the given ones."""
    installation = Installation(
        id=world.next_id(),
        app=app,
        account=account,
        permissions=dict(app.permissions),
        created_at=world.clock(),
        repositories=None if repositories is None else {repo.id for repo in repositories},
    )
    world.installations[installation.id] = installation
    return installation


def person_token(world: World, person: Account, permissions: Mapping[str, str] | None = None) -> Token:
    """A personal access token that does not expire."""
    token = Token(
        secret=f"ghp_{secrets.token_hex(18)}",
        actor=person,
        permissions=dict(PERMISSIONS if permissions is None else permissions),
        expires_at=None,
    )
    world.tokens[token.secret] = token
    return token


def installation_token(
    world: World, installation: Installation, permissions: Mapping[str, str], repositories: frozenset[int] | None
) -> Token:
    """A token of an installation, narrowed. Metadata may always be read.

    Raises:
        ApiError: 422 where it asks for more than the installation has; 403 where it is suspended.
    """
    if installation.suspended_at is not None:
        raise ApiError(403, "This installation has been suspended")
    for name, level in permissions.items():
        if _LEVELS.get(level, 9) > _LEVELS.get(installation.permissions.get(name, ""), 0):
            raise ApiError(422, "The permissions requested are not granted to this installation.")
    narrowed = dict(permissions) if permissions else dict(installation.permissions)
    token = Token(
        secret=f"ghs_{secrets.token_hex(18)}",
        actor=installation.app.bot,
        permissions={"metadata": "read", **narrowed},
        expires_at=world.clock() + TOKEN_LIFE,
        installation=installation,
        repositories=repositories,
    )
    world.tokens[token.secret] = token
    return token


def authenticate(world: World, header: str) -> Caller:
    """Who an `Authorization` header stands for.

    Raises:
        ApiError: 401 with GitHub's reason.
    """
    scheme, _, secret = header.partition(" ")
    secret = secret.strip()
    if scheme.lower() == "basic":
        return Caller(client=_client(world, secret))
    if scheme.lower() not in ("bearer", "token") or not secret:
        raise ApiError(401, "Bad credentials" if header else "Requires authentication")
    if secret.count(".") == 2 and secret not in world.tokens:
        return Caller(app=_app_of(world, secret))
    token = world.tokens.get(secret)
    if token is None or (token.expires_at is not None and token.expires_at <= world.clock()):
        raise ApiError(401, "Bad credentials")
    if token.installation is not None and token.installation.suspended_at is not None:
        raise ApiError(403, "This installation has been suspended")
    return Caller(token=token)


def covered(world: World, app: App, repo: Repo) -> bool:
    """True where some installation of the App gives access to a repository."""
    return any(
        it.app is app and it.account == repo.owner and (it.repositories is None or repo.id in it.repositories)
        for it in world.installations.values()
    )


def _client(world: World, encoded: str) -> App:
    """The App whose client id and secret came as user and password."""
    try:
        name, _, given = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError as error:
        raise ApiError(401, "Bad credentials") from error
    app = next((app for app in world.apps.values() if app.client_id == name), None)
    if app is None or not app.client_secret or not secrets.compare_digest(given.encode(), app.client_secret.encode()):
        raise ApiError(401, "Bad credentials")
    return app


def _app_of(world: World, secret: str) -> App:
    """The App whose key signed a JWT; times are checked against the world's clock, not the machine's."""
    try:
        issuer = str(jwt.decode(secret, options={"verify_signature": False}).get("iss", ""))
    except jwt.PyJWTError as error:
        raise ApiError(401, "A JSON web token could not be decoded") from error
    app = next((app for app in world.apps.values() if issuer in (str(app.id), app.client_id)), None)
    if app is None:
        raise ApiError(404, "Integration not found")
    try:
        claims = jwt.decode(
            secret,
            app.public_pem.decode(),
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "verify_iss": False, "require": ["exp", "iat", "iss"]},
        )
    except jwt.PyJWTError as error:
        raise ApiError(401, "A JSON web token could not be decoded") from error
    _check_times(claims.get("iat"), claims.get("exp"), world.clock())
    return app


def _check_times(issued: object, expires: object, now: datetime) -> None:
    """GitHub's three rules about a JWT's times."""
    if not isinstance(issued, int | float) or not isinstance(expires, int | float):
        raise ApiError(401, "'Issued at' claim ('iat') and 'Expiration time' claim ('exp') must be numeric")
    at = now.timestamp()
    if expires <= at:
        raise ApiError(401, "'Expiration time' claim ('exp') must be a numeric value representing the future time")
    if issued > at + 1:
        raise ApiError(401, "'Issued at' claim ('iat') must be an Integer representing the time it was issued")
    if expires - at > MAX_JWT_LIFE.total_seconds() + 1:
        raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
