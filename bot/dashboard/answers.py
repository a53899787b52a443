"""How pages are answered: HTML with the headers that keep it to itself, and the short texts instead of a page.

A repository that is hidden and one that is not there get the same words.
"""

from __future__ import annotations

from urllib.parse import quote

from aiohttp import web

from bot.dashboard import addresses
from bot.dashboard.templates import Frame, render

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def html(text: str, status: int = 200) -> web.Response:
    """A page."""
    return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")


def elsewhere(address: str) -> web.Response:
    """Go there with a GET."""
    return web.Response(status=303, headers={"Location": address})


def not_found(frame: Frame) -> web.Response:
    """Not there, or not for this visitor: nobody learns which."""
    return _message(
        frame,
        404,
        "Nothing to show here",
        "It does not exist, or your GitHub account cannot read that repository.",
        (addresses.HOME, "To the repositories"),
    )


def wrong_method(frame: Frame) -> web.Response:
    """Pages are read."""
    return _message(frame, 405, "Pages are only read", "This address takes no such request.")


def busy(frame: Frame) -> web.Response:
    """GitHub, the database, or this process has no time."""
    return _message(
        frame, 503, "Not now", "GitHub or the database did not answer in time. Load the page again in a minute."
    )


def our_fault(frame: Frame) -> web.Response:
    """A bug; the log has it."""
    return _message(
        frame, 500, "Our fault", "This page could not be made. The service's log says why; please report it."
    )


def sign_in_first(to: str) -> web.Response:
    """Who are you? `to` is where the visitor wanted to go. The same for every address below the pages."""
    answer = _message(
        Frame(),
        401,
        "Sign in to see the pages",
        "A repository is shown to those who can read it on GitHub, so GitHub is asked who you are.",
        (f"{addresses.SIGN_IN}?to={quote(to, safe='')}", "Sign in with GitHub"),
    )
    answer.headers["WWW-Authenticate"] = 'GitHub realm="pages"'
    return answer


def not_signed_in(why: str) -> web.Response:
    """Signing in did not work; one may try again."""
    return _message(Frame(), 403, "You are not signed in", why, (addresses.SIGN_IN, "Sign in with GitHub"))


def signed_out() -> web.Response:
    """Nobody is signed in any more."""
    return _message(
        Frame(),
        200,
        "You are signed out",
        "GitHub itself keeps you signed in there.",
        (addresses.HOME, "Back to the pages"),
    )


def out_of_date(frame: Frame) -> web.Response:
    """A form that was not made for this visitor's session."""
    return _message(frame, 403, "This form is out of date", "Load a page again and sign out there.")


def _message(frame: Frame, status: int, title: str, text: str, way: tuple[str, str] = ("", "")) -> web.Response:
    to, action = way
    return html(render("message.html", frame, title=title, text=text, to=to, action=action), status)
