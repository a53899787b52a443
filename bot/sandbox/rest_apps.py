"""REST: the App, its installations and tokens, webhook deliveries, users, rate limit."""

from __future__ import annotations

from dataclasses import replace

from bot.sandbox import views_repo as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, not_found, paged, wrong_type
from bot.sandbox.auth import installation_token
from bot.sandbox.state import Json
from bot.sandbox.state.access import Installation
from bot.sandbox.state.accounts import App
from bot.sandbox.state.repo import Repo
from bot.sandbox.traffic import Delivery
from bot.sandbox.views_hooks import delivery, delivery_item


def get_app(call: Call) -> Answer:
    """The App of the JWT."""
    count = sum(it.app is _app(call) for it in call.world.installations.values())
    return Answer({**view.app(call.world, _app(call)), "installations_count": count})


def convert_manifest(call: Call) -> Answer:
    """The App that was made of a manifest, with its secrets; a code serves once."""
    made = call.world.manifests.pop(call.path["code"], None)
    if made is None or made.expires_at <= call.world.clock():
        raise not_found()
    app = made.app
    secret = {"client_secret": app.client_secret, "webhook_secret": app.webhook_secret}
    return Answer({**view.app(call.world, app), **secret, "pem": made.private_pem.decode()}, 201)


def list_installations(call: Call) -> Answer:
    """The App's installations."""
    mine = [it for it in call.world.installations.values() if it.app is _app(call)]
    chosen, headers = paged(call, mine)
    return Answer([view.installation(call.world, it) for it in chosen], headers=headers)


def get_installation(call: Call) -> Answer:
    """One installation of the App."""
    return Answer(view.installation(call.world, _installation(call)))


def get_repo_installation(call: Call) -> Answer:
    """The App's installation on a repository."""
    repo = call.world.repo(f"{call.path['owner']}/{call.path['repo']}")
    found = call.world.installation_for(repo) if repo else None
    if found is None or found.app is not _app(call):
        raise not_found()
    return Answer(view.installation(call.world, found))


def create_token(call: Call) -> Answer:
    """A token of an installation, narrowed to the permissions and repositories asked for."""
    installation = _installation(call)
    permissions = call.body.get("permissions") or {}
    if not isinstance(permissions, dict):
        raise wrong_type("permissions", "is not an object")
    chosen = _chosen(call, installation)
    token = installation_token(
        call.world, installation, permissions, None if chosen is None else frozenset(repo.id for repo in chosen)
    )
    narrowed = chosen is not None or installation.repositories is not None
    body: Json = {
        "token": token.secret,
        "expires_at": view.stamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": "selected" if narrowed else "all",
    }
    if chosen is not None:
        body["repositories"] = [view.repository(call.world, repo) for repo in chosen]
    return Answer(body, 201)


def list_repositories(call: Call) -> Answer:
    """What an installation token can see."""
    if call.caller.installation is None:
        raise ApiError(403, "Resource not accessible by personal access token")
    seen = [repo for repo in call.world.repos.values() if call.caller.sees(repo)]
    chosen, headers = paged(call, seen)
    body = {
        "total_count": len(seen),
        "repository_selection": "all" if call.caller.installation.repositories is None else "selected",
        "repositories": [view.repository(call.world, repo) for repo in chosen],
    }
    return Answer(body, headers=headers)


def get_hook_config(call: Call) -> Answer:
    """Where the App's webhook leads."""
    url = _app(call).webhook_url
    return Answer({"content_type": "json", "insecure_ssl": "0", "secret": "********", **({"url": url} if url else {})})


def list_deliveries(call: Call) -> Answer:
    """The App's webhook deliveries, newest first; pages by cursor, as GitHub does here."""
    size = int(call.query.get("per_page") or 30)
    cursor = call.query.get("cursor", "")
    items = sorted(_deliveries(call), key=lambda item: item.id, reverse=True)
    if cursor.isdigit():
        items = [item for item in items if item.id < int(cursor)]
    page = items[: max(1, min(size, 100))]
    headers = {}
    if len(page) < len(items):
        headers["Link"] = f'<{call.url}?per_page={len(page)}&cursor={page[-1].id}>; rel="next"'
    return Answer([delivery_item(item) for item in page], headers=headers)


def get_delivery(call: Call) -> Answer:
    """One delivery with what was sent and answered."""
    return Answer(delivery(call.world, _delivery(call)))


def redeliver(call: Call) -> Answer:
    """Send a delivery again under its GUID."""
    first = _delivery(call)
    again = replace(first, id=call.world.next_id(), at=call.world.clock(), redelivery=True, status_code=0, response="")
    call.world.outbox.append(again)
    return Answer({}, 202)


def get_user(call: Call) -> Answer:
    """One account."""
    found = call.world.accounts.get(call.path["username"].lower())
    if found is None:
        raise not_found()
    return Answer(view.public_account(call.world, found))


def get_own_user(call: Call) -> Answer:
    """Whose a person's token is. An installation's token stands for nobody."""
    caller = call.caller
    if caller.token is None or caller.installation is not None:
        raise ApiError(403, "Resource not accessible by integration")
    return Answer(view.public_account(call.world, caller.token.actor))


def delete_token(call: Call) -> Answer:
    """Take a person's token back; a token of somebody else's App is not found."""
    app, secret = call.caller.client, call.text("access_token")
    found = call.world.tokens.get(secret)
    if app is None or app.client_id != call.path["client_id"] or found is None or not secret.startswith("ghu_"):
        raise not_found()
    del call.world.tokens[secret]
    return Answer(None, 204)


def get_rate_limit(call: Call) -> Answer:
    """A budget that never ends."""
    limit = {"limit": 5000, "used": 0, "remaining": 5000, "reset": int(call.world.clock().timestamp()) + 3600}
    return Answer({"resources": {"core": limit, "search": limit, "graphql": limit}, "rate": limit})


def _app(call: Call) -> App:
    if call.caller.app is None:
        raise ApiError(401, "A JSON web token could not be decoded")
    return call.caller.app


def _installation(call: Call) -> Installation:
    found = call.world.installations.get(call.number("installation_id"))
    if found is None or found.app is not _app(call):
        raise not_found()
    return found


def _chosen(call: Call, installation: Installation) -> list[Repo] | None:
    """The repositories a token is asked for; None means all of the installation."""
    names, ids = call.body.get("repositories"), call.body.get("repository_ids")
    if not names and not ids:
        return None
    if not isinstance(names or [], list) or not isinstance(ids or [], list):
        raise wrong_type("repositories", "is not an array")
    found = [call.world.repo(f"{installation.account.login}/{name}") for name in names or []]
    found += [call.world.repo_by_id(number) for number in ids or []]
    covered = installation.repositories
    out = [repo for repo in found if repo is not None and repo.owner == installation.account]
    if len(out) < len(found) or (covered is not None and any(repo.id not in covered for repo in out)):
        raise ApiError(
            422,
            "There is at least one repository that does not exist or is not accessible to the parent installation.",
        )
    return out


def _deliveries(call: Call) -> list[Delivery]:
    app = _app(call)
    return [item for item in call.world.deliveries if item.app_id == app.id]


def _delivery(call: Call) -> Delivery:
    number = call.number("delivery_id")
    for item in _deliveries(call):
        if item.id == number:
            return item
    raise not_found()


ROUTES = (
    Route("POST", "/app-manifests/{code}/conversions", convert_manifest, anonymous=True),
    Route("GET", "/app", get_app, by_app=True),
    Route("GET", "/app/installations", list_installations, by_app=True),
    Route("GET", "/app/installations/{installation_id}", get_installation, by_app=True),
    Route("POST", "/app/installations/{installation_id}/access_tokens", create_token, by_app=True),
    Route("GET", "/app/hook/config", get_hook_config, by_app=True),
    Route("GET", "/app/hook/deliveries", list_deliveries, by_app=True),
    Route("GET", "/app/hook/deliveries/{delivery_id}", get_delivery, by_app=True),
    Route("POST", "/app/hook/deliveries/{delivery_id}/attempts", redeliver, by_app=True),
    Route("GET", "/repos/{owner}/{repo}/installation", get_repo_installation, by_app=True),
    Route("GET", "/installation/repositories", list_repositories, (("metadata", "read"),)),
    Route("GET", "/user", get_own_user),
    Route("GET", "/users/{username}", get_user),
    Route("DELETE", "/applications/{client_id}/token", delete_token, by_client=True),
    Route("GET", "/rate_limit", get_rate_limit),
)
