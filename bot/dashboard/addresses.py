"""The addresses of the pages: one function a page, for the routes, the templates and links from elsewhere.

Everything foreign in a query is percent-encoded; nothing here is checked against the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from bot.domain import JobId, RegistrationKey, RepositoryId, RunId

HOME = "/pages"
STYLE = "/pages/static/pages.css"
SIGN_IN = "/pages/sign-in"
SIGNED_IN = "/pages/signed-in"  # GitHub sends the visitor back here: the callback that is registered with the App
SIGN_OUT = "/pages/sign-out"
SIGNED_OUT = "/pages/signed-out"
OPERATOR = "/pages/operator"


def repository(repository_id: RepositoryId) -> str:
    """One repository's page."""
    return f"/pages/r/{repository_id}"


def test(repository_id: RepositoryId, key: RegistrationKey) -> str:
    """One test's page; a test is known by its registration key."""
    asked = urlencode({"path": key.path, "backend": key.backend, "suite": key.suite}, errors="surrogatepass")
    return f"/pages/r/{repository_id}/test?{asked}"


def part(address: str, asked: Mapping[str, str | int], anchor: str) -> str:
    """An address of a page with what is asked of one part of it; empty words and zeros are left out."""
    query = urlencode({name: value for name, value in asked.items() if value}, errors="surrogatepass")
    joined = f"{address}{'&' if '?' in address else '?'}{query}" if query else address
    return f"{joined}#{anchor}" if anchor else joined


def log(repository_id: RepositoryId, run_id: RunId, attempt: int, job_id: JobId) -> str:
    """The page with the kept lines of one job's log."""
    return f"/pages/r/{repository_id}/log?{urlencode({'run': run_id, 'attempt': attempt, 'job': job_id})}"


def evidence(repository_id: RepositoryId, run_id: RunId, attempt: int) -> str:
    """The table of what one attempt's evaluation went by, to download."""
    return f"/pages/r/{repository_id}/evidence.csv?{urlencode({'run': run_id, 'attempt': attempt})}"
