"""Pages of git's own things: commits, files and directories at a revision, raw bytes."""

from __future__ import annotations

from html import escape

from bot.sandbox import html
from bot.sandbox.git_values import EMPTY_TREE
from bot.sandbox.pages_checks import checks_of
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import stamp


def commit_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """A commit with its message and files."""
    sha = repo.git.commit_of(parts["sha"])
    if sha is None:
        return None
    it = repo.git.commit(sha)
    files = repo.git.diff(it.parents[0] if it.parents else EMPTY_TREE, sha)
    verified = html.pill("verified") if sha in repo.verified else ""
    body = (
        f"<h1><code>{sha}</code></h1><p>{escape(it.author.name)} <span class='dim'>{stamp(it.author.date)}</span> "
        f"{verified}</p><pre>{escape(it.message)}</pre><h2>Checks</h2>{checks_of(repo, sha)}"
        f"{''.join(html.diff(file) for file in files)}"
    )
    return html.page(sha[:7], body, repo.full_name)


def blob_page(_world: World, repo: Repo, parts: dict[str, str]) -> str | None:
    """One file, or one directory, at a revision."""
    found = _at(repo, parts["rest"])
    if found is None:
        return None
    at, path = found
    sha = str(repo.git.resolve(f"{at}:{path}"))
    head = f"<h1><code>{escape(path or '/')}</code> <span class='num'>at {escape(at[:12])}</span></h1>"
    if repo.git.kind(sha) == "tree":
        rows = [
            [html.link(f"/{repo.full_name}/blob/{at}/{f'{path}/' if path else ''}{it.path}", it.path)]
            for it in repo.git.entries(sha)
        ]
        return html.page(path, head + html.table(["name"], rows), repo.full_name)
    raw = html.link(f"/{repo.full_name}/raw/{at}/{path}", "Raw")
    return html.page(path, f"{head}{html.box(raw, html.source(path, repo.git.blob(sha)))}", repo.full_name)


def raw_file(_world: World, repo: Repo, parts: dict[str, str]) -> bytes | None:
    """One file's bytes, as plain text whatever they are."""
    found = _at(repo, parts["rest"])
    sha = repo.git.resolve(f"{found[0]}:{found[1]}") if found else None
    return repo.git.blob(sha) if sha and repo.git.kind(sha) == "blob" else None


def _at(repo: Repo, rest: str) -> tuple[str, str] | None:
    """Where the revision ends and the path begins: a branch name may hold slashes, so the first that fits."""
    parts = rest.split("/")
    for cut in range(1, len(parts) + 1):
        at, path = repo.git.commit_of("/".join(parts[:cut])), "/".join(parts[cut:])
        if at is not None:
            return (at, path) if repo.git.resolve(f"{at}:{path}") else None
        if cut > 20:
            return None
    return None
