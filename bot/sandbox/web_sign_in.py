"""GitHub's web sign-in for an App: a person agrees in the browser, the App gets a code and with it their token.

As docs.github.com tells it ("Generating a user access token for a GitHub App"): the state comes back as it was sent,
a code serves once and for ten minutes, PKCE by S256 alone, and every refusal of the second step is a 200 with an
`error`. A browser here is nobody in particular, so the page asks who one is; `login=` answers beforehand.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import timedelta
from html import escape
from urllib.parse import urlencode

from aiohttp import web

from bot.sandbox import html
from bot.sandbox.auth import covered
from bot.sandbox.state import Json
from bot.sandbox.state.access import SignIn, Token
from bot.sandbox.state.accounts import Account, AccountKind, App
from bot.sandbox.state.world import World

CODE_LIFE = timedelta(minutes=10)
TOKEN_LIFE = timedelta(hours=8)


def add_routes(app: web.Application, world: World) -> None:
    """Put the two steps where github.com has them."""

    async def authorize(request: web.Request) -> web.Response:
        return _authorize(world, dict(request.query))

    async def access_token(request: web.Request) -> web.Response:
        form = await request.post()
        return web.json_response(exchange(world, {name: str(value) for name, value in form.items()}))

    app.router.add_get("/login/oauth/authorize", authorize)
    app.router.add_post("/login/oauth/access_token", access_token)


def _authorize(world: World, asked: Mapping[str, str]) -> web.Response:
    app = _known(world, asked.get("client_id", ""))
    if app is None or not app.callback_url:
        return web.Response(status=404, text=html.page("Not found", "<h1>Not found</h1>"), content_type="text/html")
    state = {"state": asked["state"]} if "state" in asked else {}
    if asked.get("redirect_uri", app.callback_url) != app.callback_url:
        raise web.HTTPFound(f"{app.callback_url}?{urlencode({'error': 'redirect_uri_mismatch', **state})}")
    if asked.get("refused"):
        raise web.HTTPFound(f"{app.callback_url}?{urlencode({'error': 'access_denied', **state})}")
    person = world.accounts.get(asked.get("login", "").lower())
    if person is None or person.kind is not AccountKind.USER:
        return web.Response(text=_asks(world, app, asked), content_type="text/html")
    challenge = asked.get("code_challenge", "") if asked.get("code_challenge_method") == "S256" else ""
    code = secrets.token_hex(10)
    world.sign_ins[code] = SignIn(app, person, challenge, world.clock() + CODE_LIFE)
    raise web.HTTPFound(f"{app.callback_url}?{urlencode({'code': code, **state})}")


def _asks(world: World, app: App, asked: Mapping[str, str]) -> str:
    """Who one is, and whether one agrees."""
    people = [it for it in world.accounts.values() if it.kind is AccountKind.USER]

    def choice(words: str, **more: str) -> str:
        return f"<li>{html.link(f'/login/oauth/authorize?{urlencode({**asked, **more})}', words)}</li>"

    choices = "".join(choice(f"as {person.login}", login=person.login) for person in people)
    body = f"<h1>Authorize {escape(app.name)}</h1><ul>{choices}{choice('Cancel', refused='1')}</ul>"
    return html.page(f"Authorize {app.name}", body)


def exchange(world: World, form: Mapping[str, str]) -> Json:
    """A person's token for a code, or the error that GitHub names."""
    app = _known(world, form.get("client_id", ""))
    if app is None or not _same(form.get("client_secret", ""), app.client_secret):
        return {"error": "incorrect_client_credentials"}
    found = world.sign_ins.pop(form.get("code", ""), None)
    if found is None or found.app is not app or found.expires_at <= world.clock():
        return {"error": "bad_verification_code"}
    if form.get("redirect_uri", app.callback_url) != app.callback_url:
        return {"error": "redirect_uri_mismatch"}
    if found.challenge and not _same(_challenge(form.get("code_verifier", "")), found.challenge):
        return {"error": "bad_verification_code"}
    token = app_users_token(world, app, found.person)
    return {"access_token": token.secret, "expires_in": int(TOKEN_LIFE.total_seconds()), "token_type": "bearer"}


def app_users_token(world: World, app: App, person: Account) -> Token:
    """A token of a person through an App: it reaches what both of them reach."""
    token = Token(
        secret=f"ghu_{secrets.token_hex(18)}",
        actor=person,
        permissions=dict(app.permissions),
        expires_at=world.clock() + TOKEN_LIFE,
        within=lambda repo: not repo.private or covered(world, app, repo),
    )
    world.tokens[token.secret] = token
    return token


def _known(world: World, client_id: str) -> App | None:
    return next((app for app in world.apps.values() if client_id and app.client_id == client_id), None)


def _same(one: str, other: str) -> bool:
    return bool(other) and hmac.compare_digest(one.encode(), other.encode())


def _challenge(verifier: str) -> str:
    """RFC 7636, 4.6: BASE64URL(SHA256(verifier)) without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
