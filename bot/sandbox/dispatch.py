"""From one HTTP request to one answer: faults, authentication, visibility, permission, body, handler.

No socket here; `server.py` reads the request and writes the answer. The order of the checks is
GitHub's: who you are, whether the thing exists for you, whether you may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.sandbox import (
    graphql,
    rest_actions,
    rest_apps,
    rest_checks,
    rest_git,
    rest_issues,
    rest_pulls,
    rest_repos,
    rest_reviews,
)
from bot.sandbox.announcements import announce
from bot.sandbox.answers import Answer, ApiError, Call, Caller, Route, not_found
from bot.sandbox.auth import authenticate
from bot.sandbox.git_reader import GitError
from bot.sandbox.state import Json, Repo, World
from bot.sandbox.traffic import CallRecord, Exchange, Fault

API_VERSIONS = ("2022-11-28", "2026-03-10")
ROUTES: tuple[Route, ...] = (
    *rest_apps.ROUTES,
    *rest_actions.ROUTES,
    *rest_checks.ROUTES,
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
    body: Json = field(default_factory=dict)


def dispatch(world: World, route: Route, incoming: Incoming) -> Answer:
    """Answer one request and note it in the journal. Never raises."""
    seen = _Seen(route.name)
    fault = _fault(world, route)
    if fault is not None and not fault.after:
        answer = Answer(fault.body, fault.status, fault.headers)
    else:
        answer = _answered(world, route, incoming, seen)
    if fault is not None and fault.after:
        answer = Answer(fault.body, fault.status, fault.headers)
    if route is GRAPHQL:
        seen.route += f":{graphql.field_names(seen.body.get('query'))}"
    world.journal.append(CallRecord(route.method, seen.route, answer.status, incoming.path, seen.actor))
    world.tell(Exchange(route.method, seen.route, seen.body, answer.status, answer.body))
    return answer


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
    caller = authenticate(world, incoming.headers.get("Authorization", ""))
    seen.actor = caller.actor.login
    repo = _admitted(world, route, caller, incoming.parts)
    seen.body = _json(incoming.body, route.bare_array)
    call = Call(
        world, caller, incoming.parts, incoming.query, seen.body, incoming.headers, incoming.url, found_repo=repo
    )
    answer = route.handler(call)
    if world.announces:
        announce(call, route, answer)
    return answer


def _admitted(world: World, route: Route, caller: Caller, parts: Mapping[str, str]) -> Repo | None:
    """The repository of the path, where the caller sees it and may do this."""
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


def _fault(world: World, route: Route) -> Fault | None:
    """The first fault that this request meets; it is used up by it."""
    for fault in world.faults:
        if (fault.method, fault.route) != (route.method, route.name):
            continue
        if fault.skip > 0:
            fault.skip -= 1
            continue
        if fault.times > 0:
            fault.times -= 1
            return fault
    return None
