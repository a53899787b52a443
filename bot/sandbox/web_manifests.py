"""GitHub's pages that make an App of a manifest, and the one that installs it.

As docs.github.com tells it ("Registering a GitHub App from a manifest"): a form posts the manifest, a person agrees,
the browser goes back with a code and the state as it was sent, and the code is exchanged once, within the hour, by
`POST /app-manifests/{code}/conversions` (`rest_apps`). A browser here is nobody in particular: an App that is not an
organisation's belongs to `operator`.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from html import escape
from typing import Any
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from bot.sandbox import events, html, webhooks
from bot.sandbox.auth import PERMISSIONS, generate_key, install, register_app
from bot.sandbox.state import Json
from bot.sandbox.state.access import MadeFromManifest
from bot.sandbox.state.accounts import Account, AccountKind, App
from bot.sandbox.state.world import World

CODE_LIFE = timedelta(hours=1)
LONGEST_NAME = 34
PERSON = "operator"
_LEVELS = ("read", "write")
# What an event needs: docs.github.com/webhooks/webhook-events-and-payloads. Others come by themselves or are not known.
_EVENT_NEEDS = {
    "check_run": {"checks"},
    "issue_comment": {"issues", "pull_requests"},
    "pull_request": {"pull_requests"},
    "workflow_run": {"actions"},
}


class _ManifestError(Exception):
    """What GitHub would not take, in words."""


def add_routes(app: web.Application, world: World, deliver: Callable[[], None]) -> None:
    """Put the pages where GitHub has them. `deliver` sends what waits in the outbox."""

    async def new(request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        return _new(world, request.match_info.get("organization", ""), request.query.get("state", ""), form)

    async def installing(request: web.Request) -> web.Response:
        return _installing(world, request.match_info["slug"])

    async def installed(request: web.Request) -> web.Response:
        form = await request.post()
        page = _installed(world, request.match_info["slug"], str(form.get("account", "")))
        deliver()
        return page

    app.router.add_post("/settings/apps/new", new)
    app.router.add_post("/organizations/{organization}/settings/apps/new", new)
    for path in ("/apps/{slug}", "/apps/{slug}/installations/new"):
        app.router.add_get(path, installing)
    app.router.add_post("/apps/{slug}/installations/new", installed)


def _new(world: World, organization: str, state: str, form: Mapping[str, str]) -> web.Response:
    owner = world.accounts.get(organization.lower()) if organization else world.account(PERSON)
    if owner is None or (organization and owner.kind is not AccountKind.ORGANIZATION):
        return _page(404, "Not found", "")
    try:
        manifest = _checked(form)
    except _ManifestError as error:
        return _page(422, "Invalid GitHub App configuration", f"<p>{escape(str(error))}</p>")
    wrong = _wrong_name(world, manifest)
    if wrong or "agreed" not in form:
        note = f"<p><b>{escape(wrong)}</b></p>" if wrong and "agreed" in form else ""
        return _page(200, f"Create GitHub App for {owner.login}", note + _asks(manifest))
    code = secrets.token_hex(20)
    world.manifests[code] = _made(world, owner, manifest)
    sent_back = urlencode({"code": code, **({"state": state} if state else {})})
    raise web.HTTPFound(f"{manifest['redirect_url']}?{sent_back}")


def _checked(form: Mapping[str, str]) -> Json:
    """The manifest with the name that the person chose, whether or not it can be had."""
    try:
        manifest = json.loads(form.get("manifest", ""))
    except ValueError as error:
        raise _ManifestError("Manifest is not JSON") from error
    if not isinstance(manifest, dict):
        raise _ManifestError("Manifest is not an object")
    manifest["name"] = form.get("name") or str(manifest.get("name") or "")
    hook = manifest.get("hook_attributes")
    needed = [manifest.get("url"), manifest.get("redirect_url"), hook.get("url") if isinstance(hook, dict) else None]
    if not all(isinstance(one, str) and urlsplit(one).scheme in ("http", "https") for one in needed):
        raise _ManifestError("url, redirect_url and hook_attributes.url must be addresses")
    _check_wishes(manifest.get("default_permissions"), manifest.get("default_events"))
    return manifest


def _check_wishes(permissions: Any, wished: Any) -> None:
    if not isinstance(permissions, dict) or not isinstance(wished, list):
        raise _ManifestError("Default permissions and events are missing")
    unknown = [name for name, level in permissions.items() if name not in PERMISSIONS or level not in _LEVELS]
    if unknown:
        raise _ManifestError(f"Default permissions unsupported: {', '.join(unknown)}")
    refused = [str(name) for name in wished if not _EVENT_NEEDS.get(str(name), set()) & set(permissions)]
    if refused:
        raise _ManifestError(f"Default events unsupported: {', '.join(refused)}")


def _wrong_name(world: World, manifest: Json) -> str:
    """Names of Apps are unique on the whole of a GitHub."""
    slug = _slug(manifest)
    if not slug or len(manifest["name"]) > LONGEST_NAME:
        return f"Name must have 1 to {LONGEST_NAME} characters"
    return "Name is already taken" if _known(world, slug) else ""


def _slug(manifest: Json) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(manifest["name"]).lower()).strip("-")


def _asks(manifest: Json) -> str:
    """The page on which a person agrees; the name may be another one."""
    rows = [[escape(str(name)), escape(str(level))] for name, level in manifest["default_permissions"].items()]
    return (
        '<form method="post"><p><label>GitHub App name <input name="name" '
        f'value="{escape(str(manifest["name"]))}"></label></p>'
        f'<input type="hidden" name="manifest" value="{escape(json.dumps(manifest))}">'
        f"{html.table(['permission', 'level'], rows)}<p>Events: {escape(', '.join(manifest['default_events']))}</p>"
        '<button name="agreed" value="1">Create GitHub App</button></form>'
    )


def _made(world: World, owner: Account, manifest: Json) -> MadeFromManifest:
    private, public = generate_key()
    app = register_app(world, _slug(manifest), owner, public)
    app.name = str(manifest["name"])
    app.permissions = dict(manifest["default_permissions"])
    app.events = tuple(manifest["default_events"])
    app.webhook_url = str(manifest["hook_attributes"]["url"])
    app.callback_url = next(iter(manifest.get("callback_urls") or []), "")
    return MadeFromManifest(app, private, world.clock() + CODE_LIFE)


def _installing(world: World, slug: str) -> web.Response:
    app = _known(world, slug)
    if app is None:
        return _page(404, "Not found", "")
    owners = {repo.owner.login for repo in world.repos.values()}
    buttons = "".join(
        f'<p><button name="account" value="{escape(login)}">Install on {escape(login)}</button></p>'
        for login in sorted(owners)
    )
    action = f"/apps/{app.slug}/installations/new"
    return _page(200, f"Install {app.name}", f'<form method="post" action="{action}">{buttons}</form>')


def _installed(world: World, slug: str, login: str) -> web.Response:
    app, account = _known(world, slug), world.accounts.get(login.lower())
    if app is None or account is None:
        return _page(404, "Not found", "")
    made = install(world, app, account)
    world.outbox.append(webhooks.new_delivery(world, app, "installation", events.installation(world, made)))
    return _page(200, f"Installed on {account.login}", f"<p>{html.link('/', 'Repositories')}</p>")


def _known(world: World, slug: str) -> App | None:
    return next((app for app in world.apps.values() if app.slug == slug), None)


def _page(status: int, title: str, body: str) -> web.Response:
    return web.Response(
        status=status, text=html.page(title, f"<h1>{escape(title)}</h1>{body}"), content_type="text/html"
    )
