"""The fault plan: what GitHub may do to a request instead of answering it, by name.

A fault is data on the world (`World.faults`); which request meets it, and what is then answered, is
decided here. How an answer is cut short or slowed on its way is `wire.py`'s part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from bot.sandbox.answers import Answer
from bot.sandbox.state.world import World
from bot.sandbox.traffic import Fault, Wire

LOGS = "logs-origin"  # the route of the second origin in the journal
MUTATION = "/graphql:updateRefs"
ALWAYS = 1_000_000
_WORDS = {"documentation_url": "https://docs.github.com/rest"}
_SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes.", **_WORDS}


class FaultKind(StrEnum):
    """Every way a call can go wrong. The comment says what GitHub or a network does."""

    TOO_MANY = "too_many"  # 429 with Retry-After
    SECONDARY = "secondary"  # 403 of a secondary limit, with Retry-After
    SECONDARY_WORDLESS = "secondary_wordless"  # the same without Retry-After: at least a minute
    BROKEN = "broken"  # 502, and nothing was done
    BROKEN_LONG = "broken_long"  # 502 for as long as the plan stands
    BROKEN_AFTER = "broken_after"  # 502, and it was done
    DROPPED = "dropped"  # the connection breaks before anything is done
    DROPPED_AFTER = "dropped_after"  # it was done, and the connection breaks before the answer
    SHORT = "short"  # it was done, and half of the answer arrives
    SLOW = "slow"  # the whole answer, in small pieces
    STALE = "stale"  # a read is answered as it was the last time
    FORBIDDEN = "forbidden"  # 403: a permission is missing
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410
    CONFLICT = "conflict"  # 409
    RULESET = "ruleset"  # 422 by a rule of the repository
    GRAPHQL_ERROR = "graphql_error"  # 200 with an error that explains nothing
    GRAPHQL_ERROR_AFTER = "graphql_error_after"  # the same, and it was done
    GRAPHQL_FORBIDDEN = "graphql_forbidden"  # 200 with a FORBIDDEN error
    GRAPHQL_RULESET = "graphql_ruleset"  # 200 with a rule's words
    EXPIRED_LINK = "expired_link"  # the log's signed address is too old already
    BLOB_NOT_FOUND = "blob_not_found"  # the log's storage has lost it


def _graphql(message: str, kind: str = "") -> dict[str, Any]:
    error = {"message": message, "path": [], "locations": []}
    return {"data": None, "errors": [{**error, "type": kind} if kind else error]}


_GENERIC = _graphql("Something went wrong while executing your query.")
_RULES = {"message": "Repository rule violations found\n\nChanges must be made through a pull request.", **_WORDS}
_KINDS: Mapping[FaultKind, Fault] = {
    FaultKind.TOO_MANY: Fault("", "", 429, {"message": "Too many requests", **_WORDS}, {"Retry-After": "1"}),
    FaultKind.SECONDARY: Fault("", "", 403, _SECONDARY, {"Retry-After": "2"}),
    FaultKind.SECONDARY_WORDLESS: Fault("", "", 403, _SECONDARY),
    FaultKind.BROKEN: Fault("", "", 502, {"message": "Server Error"}),
    FaultKind.BROKEN_LONG: Fault("", "", 502, {"message": "Server Error"}, times=ALWAYS),
    FaultKind.BROKEN_AFTER: Fault("", "", 502, {"message": "Server Error"}, after=True),
    FaultKind.DROPPED: Fault("", "", 502, wire=Wire.DROPPED),
    FaultKind.DROPPED_AFTER: Fault("", "", 502, after=True, wire=Wire.DROPPED),
    FaultKind.SHORT: Fault("", "", 0, after=True, wire=Wire.SHORT),
    FaultKind.SLOW: Fault("", "", 0, after=True, wire=Wire.SLOW),
    FaultKind.STALE: Fault("", "", 0, stale=True),
    FaultKind.FORBIDDEN: Fault(
        "", "", 403, {"message": "Resource not accessible by integration", **_WORDS}, times=ALWAYS
    ),
    FaultKind.NOT_FOUND: Fault("", "", 404, {"message": "Not Found", **_WORDS}, times=ALWAYS),
    FaultKind.GONE: Fault("", "", 410, {"message": "Gone", **_WORDS}, times=ALWAYS),
    FaultKind.CONFLICT: Fault("", "", 409, {"message": "Conflict", **_WORDS}, times=ALWAYS),
    FaultKind.RULESET: Fault("", "", 422, _RULES, times=ALWAYS),
    FaultKind.GRAPHQL_ERROR: Fault("", "", 200, _GENERIC),
    FaultKind.GRAPHQL_ERROR_AFTER: Fault("", "", 200, _GENERIC, after=True),
    FaultKind.GRAPHQL_FORBIDDEN: Fault(
        "", "", 200, _graphql("Resource not accessible by integration", "FORBIDDEN"), times=ALWAYS
    ),
    FaultKind.GRAPHQL_RULESET: Fault("", "", 200, _graphql("Repository rule violations found"), times=ALWAYS),
    FaultKind.EXPIRED_LINK: Fault("", "", 403, {"message": "AuthenticationFailed"}),
    FaultKind.BLOB_NOT_FOUND: Fault("", "", 404, {"message": "BlobNotFound"}, times=ALWAYS),
}
_ANY = {
    FaultKind.TOO_MANY,
    FaultKind.BROKEN,
    FaultKind.BROKEN_LONG,
    FaultKind.DROPPED,
    FaultKind.SHORT,
    FaultKind.SLOW,
}
_API = {FaultKind.SECONDARY, FaultKind.SECONDARY_WORDLESS}
_REST = {FaultKind.FORBIDDEN, FaultKind.NOT_FOUND, FaultKind.GONE}
_EFFECT = {FaultKind.BROKEN_AFTER, FaultKind.DROPPED_AFTER}
_REFUSED = {FaultKind.CONFLICT, FaultKind.RULESET}
_GRAPHQL = {FaultKind.GRAPHQL_ERROR, FaultKind.GRAPHQL_FORBIDDEN}
_MUTATES = {FaultKind.GRAPHQL_ERROR_AFTER, FaultKind.GRAPHQL_RULESET}
_STORAGE = {FaultKind.EXPIRED_LINK, FaultKind.BLOB_NOT_FOUND, FaultKind.GONE}


def applicable(method: str, route: str) -> frozenset[FaultKind]:
    """The faults that a call of this kind can meet. `route` is as the journal writes it."""
    if route == LOGS:
        return frozenset(_ANY | _STORAGE)
    if route == MUTATION:
        return frozenset(_ANY | _API | _GRAPHQL | _EFFECT | _MUTATES)
    if route.startswith("/graphql"):
        return frozenset(_ANY | _API | _GRAPHQL | {FaultKind.STALE})
    if method == "GET":
        return frozenset(_ANY | _API | _REST | {FaultKind.STALE})
    return frozenset(_ANY | _API | _REST | _EFFECT | _REFUSED)


def planned(kind: FaultKind, method: str, route: str, *, skip: int = 0, path: str = "") -> Fault:
    """A fault of this kind for calls of one route, `skip` of them let through first.

    `path` bounds it to requests whose path holds that text, such as `/octo/tests/`.
    """
    return replace(_KINDS[kind], method=method, route=route, skip=skip, path=path)


def meet(world: World, method: str, names: Collection[str], path: str) -> Fault | None:
    """The first fault that a request meets; it is used up by it. `names`: what its route is called."""
    for fault in world.faults:
        if fault.method != method or fault.route not in names or fault.path not in path:
            continue
        if fault.skip > 0:
            fault.skip -= 1
            continue
        if fault.times > 0:
            fault.times -= 1
            return fault
    return None


def suffered(fault: Fault, real: Callable[[], Answer], earlier: Answer | None) -> Answer:
    """What is answered to a request that meets a fault. `earlier`: how the same read was answered before."""
    if fault.stale and earlier is None:
        return real()
    fault.met += 1
    if earlier is not None and fault.stale:
        return earlier
    answer = real() if fault.after else Answer(fault.body, fault.status, fault.headers)
    if fault.status and fault.after:
        answer = Answer(fault.body, fault.status, fault.headers)
    return replace(answer, wire=fault.wire)
