"""From one HTTP request to one answer: faults, authentication, visibility, permission, body, handler.

No socket here; `server.py` reads the request and writes the answer. The order of the checks is
GitHub's: who you are, whether the thing exists for you, whether you may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from bot.sandbox import (
    graphql,
    rest_actions,
    rest_apps,
    rest_checks,
    rest_comments,
    rest_git,
    rest_issues,
    rest_pulls,
    rest_repos,
    rest_reviews,
)
from bot.sandbox.announcements import announce
from bot.sandbox.answers import Answer, ApiError, Call, Caller, Route, not_found
from bot.sandbox.auth import authenticate
from bot.sandbox.faults import meet, suffered
from bot.sandbox.git_reader import GitError
from bot.sandbox.state import Json
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Arrival, CallRecord, Exchange

API_VERSIONS = ("2022-11-28", "2026-03-10")
ROUTES: tuple[Route, ...] = (
    *rest_apps.ROUTES,
    *rest_actions.ROUTES,
    *rest_checks.ROUTES,
    *rest_comments.ROUTES,
    *rest_git.ROUTES,
    *rest_issues.ROUTES,
    *rest_pulls.ROUTES,
    *rest_repos.ROUTES,
    *rest_reviews.ROUTES,
)
GRAPHQL = Route("POST", "/graphql", graphql.answer)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One request as it came in."""

    method: str
    url: str  # without the query
    path: str
    parts: Mapping[str, str]  # what the template's placeholders matched
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(slots=True)
class _Seen:
    """What the journal notes about a request that may fail half-way."""

    route: str
    actor: str = ""
    writes: frozenset[str] = frozenset()
    body: Json = field(default_factory=dict)


def dispatch(world: World, route: Route, incoming: Incoming) -> Answer:
    """Answer one request and note it in the journal. Never raises."""
    seen = _Seen(_name(route, incoming))
    for gate in world.gates:
        gate(Arrival(route.method, seen.route, incoming.path))
    fault = meet(world, route.method, (route.name, seen.route), incoming.path)
    key = (route.method, f"{incoming.path}?{sorted(incoming.query.items())}", incoming.body.decode("utf-8", "replace"))

    def real() -> Answer:
        return _answered(world, route, incoming, seen)

    answer = real() if fault is None else suffered(fault, real, world.answered.get(key))
    if fault is None and (route.method == "GET" or route is GRAPHQL):
        world.answered[key] = answer
    world.journal.append(CallRecord(route.method, seen.route, answer.status, incoming.path, seen.actor, seen.writes))
    world.tell(Exchange(route.method, seen.route, seen.body, answer.status, answer.body))
    return answer


def _name(route: Route, incoming: Incoming) -> str:
    """What the journal calls it: the template, with the asked fields for GraphQL."""
    if route is not GRAPHQL:
        return route.name
    try:
        asked = json.loads(incoming.body)
    except (ValueError, RecursionError):
        return f"{route.name}:"
    return f"{route.name}:{graphql.field_names(asked.get('query') if isinstance(asked, dict) else None)}"


def _answered(world: World, route: Route, incoming: Incoming, seen: _Seen) -> Answer:
    try:
        return _handle(world, route, incoming, seen)
    except ApiError as error:
        return Answer(error.body(), error.status)
    except GitError as error:
        return Answer(ApiError(422, str(error)).body(), 422)


def _handle(world: World, route: Route, incoming: Incoming, seen: _Seen) -> Answer:
    version = incoming.headers.get("X-GitHub-Api-Version", API_VERSIONS[0])
    if version not in API_VERSIONS:
        raise ApiError(400, f"API version {version!r} is not supported")
    if not incoming.headers.get("User-Agent"):
        raise ApiError(403, "Request forbidden by administrative rules. Please add a User-Agent header.")
    caller = Caller() if route.anonymous else authenticate(world, incoming.headers.get("Authorization", ""))
    seen.actor = "" if route.anonymous else caller.actor.login
    seen.writes = _writable(caller)
    elsewhere = _moved(world, caller, incoming)
    if elsewhere is not None:
        return elsewhere
    repo = _admitted(world, route, caller, incoming.parts)
    seen.body = _json(incoming.body, route.bare_array)
    call = Call(
        world, caller, incoming.parts, incoming.query, seen.body, incoming.headers, incoming.url, found_repo=repo
    )
    answer = route.handler(call)
    if world.announces:
        announce(call, route, answer)
    return answer


def _moved(world: World, caller: Caller, incoming: Incoming) -> Answer | None:
    """The redirect of a repository that was renamed or transferred; GitHub names its number in the address."""
    old = f"{incoming.parts.get('owner')}/{incoming.parts.get('repo')}"
    now = world.repo(world.moved.get(old.lower(), ""))
    if now is None or world.repo(old) is not None or caller.token is None or not caller.sees(now):
        return None
    there = incoming.url.replace(f"/repos/{old}", f"/repos/{now.full_name}", 1)
    query = f"?{urlencode(incoming.query)}" if incoming.query else ""
    status = 301 if incoming.method == "GET" else 307
    return Answer(b"", status, {"Location": f"{there}{query}"})


def _writable(caller: Caller) -> frozenset[str]:
    """What the caller's token may write."""
    allowed = caller.token.permissions if caller.token else {}
    return frozenset(name for name, level in allowed.items() if level != "read")


def _admitted(world: World, route: Route, caller: Caller, parts: Mapping[str, str]) -> Repo | None:
    """The repository of the path, where the caller sees it and may do this."""
    if route.anonymous:
        return None
    if route.by_client:
        if caller.client is None:
            raise ApiError(401, "Bad credentials")
        return None
    if route.by_app:
        if caller.app is None:
            raise ApiError(401, "A JSON web token could not be decoded")
        return None
    if caller.token is None:
        raise ApiError(401, "Bad credentials")
    repo = None
    if "owner" in parts:
        repo = world.repo(f"{parts['owner']}/{parts['repo']}")
        if repo is None or not caller.sees(repo):
            raise not_found()
    if route.needs and not any(caller.may(*need) for need in route.needs):
        raise ApiError(403, "Resource not accessible by integration")
    return repo


def _json(raw: bytes, bare_array: str) -> Json:
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "Problems parsing JSON") from error
    if isinstance(body, list) and bare_array:
        return {bare_array: body}
    if not isinstance(body, dict):
        raise ApiError(400, "Body should be a JSON object")
    return body
