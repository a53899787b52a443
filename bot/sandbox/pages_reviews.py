"""How a page shows the reviews of a pull request: their comments on lines, and what a suggestion would replace."""

from __future__ import annotations

import re
from html import escape

from bot.sandbox import html
from bot.sandbox.state import Json
from bot.sandbox.state.issues import Review
from bot.sandbox.state.repo import Repo
from bot.sandbox.views_repo import stamp

_SUGGESTION = re.compile(r"^(`{3,20})suggestion\n(.{0,2000}?)\n\1$", re.MULTILINE | re.DOTALL)


def reviews_of(repo: Repo, number: int) -> str:
    """Every review of a pull request."""
    return "".join(_review(repo, it) for it in repo.reviews.values() if it.number == number)


def _review(repo: Repo, it: Review) -> str:
    top = f"<b>{escape(it.author.login)}</b> <span class='dim'>reviewed {stamp(it.submitted_at)}</span>"
    comments = "".join(_comment(repo, it, comment) for comment in it.comments)
    return f'<div id="pullrequestreview-{it.id}">{html.box(top, html.markdown(it.body) + comments)}</div>'


def _comment(repo: Repo, it: Review, comment: Json) -> str:
    path, line = str(comment["path"]), int(comment["line"])
    where = html.link(f"/{repo.full_name}/blob/{it.commit}/{path}#L{line}", f"{path}:{line}")
    found = _SUGGESTION.search(comment["body"])
    words = _SUGGESTION.sub("", comment["body"])
    suggested = _suggested(repo, it, comment, found[2]) if found else ""
    return html.box(where, html.markdown(words) + suggested)


def _suggested(repo: Repo, it: Review, comment: Json, after: str) -> str:
    """The line as it is and as it would be."""
    blob = repo.git.run("show", f"{it.commit}:{comment['path']}").decode(errors="replace").split("\n")
    before = blob[int(comment["line"]) - 1]
    lines = "".join(
        f'<span class="{name}">{sign}{escape(text)}</span>'
        for name, sign, text in (("del", "-", before), ("add", "+", after))
    )
    return f"<p><b>Suggested change</b></p><div class='code'>{lines}</div>"
