"""What an unhappy answer of GitHub means: who can fix it, and how long to wait.

Pure: an answer in, a verdict or an exception out. Both halves of this package use it, the one that
reads through gidgethub and the one that writes through PyGithub.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.errors import RetryableError, UserError

SECONDARY_WAIT_S = 60.0  # GitHub's manual: "at least one minute" where a secondary limit names no time
LONGEST_WAIT_S = 3700.0  # a primary limit resets within the hour
_LIMIT_WORDS = ("rate limit", "abuse detection")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

# What an address needs, for the message of a refusal that does not say it itself. First match wins.
_OF_APP = re.compile(r"[A-Z]+ (?:/api/v3)?/app(?:/installations|/hook/deliveries)?\Z")
_NEEDS = (
    ("/actions/", "actions: read"),
    ("/check-runs", "checks: write"),
    ("/pulls", "pull requests: write"),
    ("/issues", "issues: write"),
    ("/git/", "contents"),
    ("/compare/", "contents: read"),
    ("/commits/", "contents: read"),
    ("/graphql", "contents"),
    ("/collaborators/", "metadata: read"),
)


class RefusedError(UserError):
    """GitHub said no. `status` is HTTP's; 422 and 409 are told apart by it."""

    def __init__(self, message: str, status: int, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


class BusyError(RetryableError):
    """GitHub could not answer now. `status` is HTTP's, 0 where the connection broke."""

    def __init__(self, message: str, after_s: float | None = None, status: int = 0) -> None:
        super().__init__(message, after_s)
        self.status = status


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. Header names are looked up in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def header(self, name: str) -> str:
        """A header's value, "" where it is missing."""
        return self.headers.get(name) or ""


def limited(answer: Answer) -> bool:
    """True for a primary or secondary rate limit.

    GitHub sends these as 429 or as 403, with `retry-after`, with `x-ratelimit-remaining: 0`, or
    with nothing but its message (github.com/PyGithub/PyGithub/pull/2387).
    """
    if answer.status == 429:
        return True
    if answer.status != 403:
        return False
    if answer.header("retry-after") or answer.header("x-ratelimit-remaining") == "0":
        return True
    return any(word in said(answer).lower() for word in _LIMIT_WORDS)


def wait_s(answer: Answer, now: float) -> float | None:
    """Seconds the server asks to wait, None where the answer gives no reason to ask again.

    `now` is seconds since the epoch. 0.0 means: again, and the caller chooses when.
    """
    if not limited(answer) and answer.status < 500:
        return None
    after = _number(answer.header("retry-after"))
    if after is not None:
        return after
    if not limited(answer):
        return 0.0
    reset = _number(answer.header("x-ratelimit-reset"), largest=1e12)
    if reset is not None and answer.header("x-ratelimit-remaining") == "0":
        return min(max(reset - now, 0.0) + 1.0, LONGEST_WAIT_S)  # the second of the reset is not exact
    return SECONDARY_WAIT_S


def said(answer: Answer) -> str:
    """GitHub's own words, made safe for a terminal and bounded; "" where it has none."""
    try:
        data = json.loads(answer.body)
    except ValueError:
        return ""
    if not isinstance(data, dict):
        return ""
    errors = data.get("errors")
    items = errors[:5] if isinstance(errors, list) else []
    words = [str(data.get("message") or ""), *map(_error_words, items)]
    return _UNSEEN.sub(" ", "; ".join(word for word in words if word))[:400]


def _error_words(item: object) -> str:
    return str(item.get("message") or item.get("code") or "") if isinstance(item, dict) else str(item)


def problem(what: str, answer: Answer, now: float) -> RefusedError | BusyError:
    """The exception for an answer that is not a success.

    `what` is `METHOD /path`. The message names the permission GitHub asks for where it does
    (`x-accepted-github-permissions`), else the one the address usually needs, and the remedy.
    """
    wait, words = wait_s(answer, now), said(answer)
    detail = f": {words}" if words else ""
    if wait is not None:
        reason = "asks to wait" if limited(answer) else f"answered {answer.status}"
        return BusyError(f"GitHub {reason} on {what}{detail}", wait or None, answer.status)
    needs = answer.header("x-accepted-github-permissions").replace("=", ": ") or _usual_need(what)
    remedy = _remedy_of_app(answer.status) if _OF_APP.match(what) else _remedy(answer.status, needs)
    return RefusedError(f"{what}: {remedy}{detail}", answer.status, words)


_GRAPHQL_STATUS = {"NOT_FOUND": 404, "FORBIDDEN": 403, "INSUFFICIENT_SCOPES": 403}


def graphql_problem(response: object) -> RefusedError | BusyError:
    """The exception for a GraphQL answer that carries `errors`.

    Only the types GitHub documents as final are refusals; a bare error may be a time-out or a
    compare-and-swap that was lost, and is worth another look.
    """
    data = response if isinstance(response, dict) else {}
    errors = data.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    words = said(Answer(200, {}, json.dumps({"errors": errors}).encode()))
    kind = str(first.get("type") or "")
    if kind in _GRAPHQL_STATUS:
        status = _GRAPHQL_STATUS[kind]
        return RefusedError(f"POST /graphql: {_remedy(status, 'contents')}: {words}", status, words)
    after = SECONDARY_WAIT_S if kind == "RATE_LIMITED" or "rate limit" in words.lower() else None
    return BusyError(f"POST /graphql: {words or 'an error without words'}", after, 200)


def _remedy_of_app(status: int) -> str:
    """What concerns the App as a whole is asked with its own key, which needs no permission."""
    if status in (401, 403, 404, 410):
        return (
            f"GitHub refused the App itself with {status}; check RECALIBRATE_APP_ID, its private key and "
            "RECALIBRATE_GITHUB_URL, and that it is not suspended"
        )
    return _remedy(status, "")


def _remedy(status: int, needs: str) -> str:
    asks = f" ({needs})" if needs else ""
    if status == 401:
        return "GitHub rejected the credentials; check the App's id and private key, or the token"
    if status == 403:
        return f"not allowed; grant the App the permission{asks} and accept it in the installation's settings"
    if status in (404, 410):
        return f"not found, or hidden from the App; check the name, the installation and the permission{asks}"
    if 300 <= status < 400:
        return "it has moved; use the repository's new name"
    return f"GitHub refused it with {status}"


def _usual_need(what: str) -> str:
    return next((needs for part, needs in _NEEDS if part in what), "")


def _number(text: str, largest: float = LONGEST_WAIT_S) -> float | None:
    """A header's number of seconds, bounded; None for anything else, a date included."""
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    return min(float(text), largest)
