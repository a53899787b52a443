"""The addresses of the pages: one function a page, for the routes, the templates and links from elsewhere.

Everything foreign in a query is percent-encoded; nothing here is checked against the store.
"""

from __future__ import annotations

from urllib.parse import urlencode

from bot.domain import RegistrationKey, RepositoryId, RunId

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


def evidence(repository_id: RepositoryId, run_id: RunId, attempt: int) -> str:
    """The table of what one attempt's evaluation went by, to download."""
    return f"/pages/r/{repository_id}/evidence.csv?{urlencode({'run': run_id, 'attempt': attempt})}"
