"""The pages of a set-up as whole answers: self-contained, without script, never kept by a browser.

What is on them is decided in `bot.setup.server`.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from aiohttp import web
from markupsafe import Markup

from bot.dashboard.templates import environment
from bot.setup.dialogue import Refusal
from bot.setup.words import WORDS, status

_OWN = """
main { overflow-wrap: anywhere; }
.field { font: 1.1rem ui-monospace, monospace; padding: .45rem .6rem; margin-top: .3rem; border-radius: .4rem;
  border: 1px solid var(--dim); background: var(--ground); color: var(--ink); text-transform: uppercase; }
.command { white-space: pre-wrap; }
"""
_STYLE = files("bot.dashboard").joinpath("static", "pages.css").read_text("utf-8") + _OWN
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # so that a browser names this origin with our own forms
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_TEMPLATES = environment("bot.setup")
OWN_FORMS = "form-action 'self'; "
# A form's target may lead on, to a company's sign-in, and browsers hold every step of that to form-action.
ANY_FORM = ""


def page(template: str, *, code: int = 200, forms: str = OWN_FORMS, **values: Any) -> web.Response:
    """One page. `forms` is what its policy says of where a form may go."""
    text = _TEMPLATES.get_template(template).render(style=Markup(_STYLE), **values)  # noqa: S704 - our own file
    policy = f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; {forms}"
    policy += "base-uri 'none'; frame-ancestors 'none'"
    headers = {**_HEADERS, "Content-Security-Policy": policy}
    return web.Response(text=text, status=code, content_type="text/html", charset="utf-8", headers=headers)


def refused(refusal: Refusal, detail: str = "") -> web.Response:
    """A refusal by its name, with what to do; `detail` is what GitHub or the file system said."""
    words = WORDS[refusal]
    return page("refused.html", code=status(refusal), reason=refusal.value, words=words, detail=detail)
