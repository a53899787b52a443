"""Pages of check runs: one with its texts, buttons and annotations, and the list of a commit's."""

from __future__ import annotations

from html import escape

from bot.sandbox import html
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World


def check_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """A check run: its texts and annotations."""
    it = repo.checks.get(int(parts["check_id"]))
    if it is None:
        return None
    rows = [
        [
            escape(str(raw.get("annotation_level"))),
            _place(repo, it, raw),
            _said(raw),
        ]
        for raw in it.annotations
    ]
    body = (
        f"<h1>{escape(it.name)}</h1><p>{html.pill(it.conclusion or it.status)} on <code>{it.head_sha}</code></p>"
        f"{_buttons(it)}<h2>{escape(it.title or '')}</h2>"
        f"{html.markdown(it.summary)}{html.markdown(it.text) if it.text else ''}"
        f"<h2>Annotations</h2>{html.table(['level', 'line', 'message'], rows)}"
    )
    return html.page(it.name, body, repo.full_name)


def checks_of(repo: Repo, sha: str) -> str:
    """The check runs on a commit, as a table."""
    found = [it for it in repo.checks.values() if it.head_sha == sha]
    if not found:
        return '<p class="dim">No checks on this commit.</p>'
    rows = [
        [
            html.link(f"/{repo.full_name}/runs/{it.id}", it.name),
            html.pill(it.conclusion or it.status),
            escape(it.title or ""),
        ]
        for it in found
    ]
    return html.table(["check", "state", "title"], rows)


def _buttons(it: CheckRun) -> str:
    """What a person may ask for; on this page they only show."""
    return " ".join(
        f'<span class="label" title="{escape(raw["description"])}">{escape(raw["label"])}</span>' for raw in it.actions
    )


def _said(raw: dict[str, object]) -> str:
    title, message = (escape(str(raw.get(key) or "")) for key in ("title", "message"))
    return f"<b>{title}</b><div style='white-space: pre-wrap'>{message}</div>"


def _place(repo: Repo, it: CheckRun, raw: dict[str, object]) -> str:
    return html.link(
        f"/{repo.full_name}/blob/{it.head_sha}/{raw['path']}#L{raw['start_line']}", f"{raw['path']}:{raw['start_line']}"
    )
