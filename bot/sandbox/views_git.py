"""Git objects, references, commits and comparisons as GitHub's JSON."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from textwrap import wrap
from urllib.parse import quote

from bot.sandbox.git_diff import FileDiff
from bot.sandbox.git_values import EMPTY_TREE, Commit, Entry, Person
from bot.sandbox.state import Json
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World
from bot.sandbox.views_repo import account, api_url, html_url, node_id, stamp

_BASE64_WIDTH = 60  # what api.github.com breaks base64 at


def reference(world: World, repo: Repo, name: str, sha: str) -> Json:
    """One reference; `name` is full."""
    kind = repo.git.kind(sha) or "commit"
    return {
        "ref": name,
        "node_id": node_id("REF", repo.id),
        "url": f"{api_url(world, repo)}/git/{quote(name)}",
        "object": {"sha": sha, "type": kind, "url": f"{api_url(world, repo)}/git/{kind}s/{sha}"},
    }


def git_commit(world: World, repo: Repo, it: Commit) -> Json:
    """A commit as the git database API shows it."""
    return {
        "sha": it.sha,
        "node_id": f"C_{it.sha}",
        "url": f"{api_url(world, repo)}/git/commits/{it.sha}",
        "html_url": f"{html_url(world, repo)}/commit/{it.sha}",
        "author": _person(it.author),
        "committer": _person(it.committer),
        "message": it.message,
        "tree": {"sha": it.tree, "url": f"{api_url(world, repo)}/git/trees/{it.tree}"},
        "parents": [_parent(world, repo, sha, "git/commits") for sha in it.parents],
        "verification": _verification(repo, it),
    }


def commit(world: World, repo: Repo, it: Commit) -> Json:
    """A commit as the repository API lists it."""
    url = f"{api_url(world, repo)}/commits/{it.sha}"
    return {
        "sha": it.sha,
        "node_id": f"C_{it.sha}",
        "url": url,
        "html_url": f"{html_url(world, repo)}/commit/{it.sha}",
        "comments_url": f"{url}/comments",
        "commit": {
            "url": f"{api_url(world, repo)}/git/commits/{it.sha}",
            "author": _person(it.author),
            "committer": _person(it.committer),
            "message": it.message,
            "comment_count": 0,
            "tree": {"sha": it.tree, "url": f"{api_url(world, repo)}/git/trees/{it.tree}"},
            "verification": _verification(repo, it),
        },
        "author": _account_of(world, repo, it.author),
        "committer": _account_of(world, repo, it.committer),
        "parents": [_parent(world, repo, sha, "commits") for sha in it.parents],
    }


def commit_with_files(world: World, repo: Repo, it: Commit) -> Json:
    """A commit with its statistics and files."""
    files = repo.git.diff(it.parents[0] if it.parents else EMPTY_TREE, it.sha)
    added, removed = sum(file.additions for file in files), sum(file.deletions for file in files)
    return {
        **commit(world, repo, it),
        "stats": {"total": added + removed, "additions": added, "deletions": removed},
        "files": [diff_entry(world, repo, it.sha, file) for file in files],
    }


def diff_entry(world: World, repo: Repo, sha: str, file: FileDiff) -> Json:
    """One file of a comparison; `sha` is the newer commit."""
    path = quote(file.path)
    out: Json = {
        "sha": file.sha,
        "filename": file.path,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{html_url(world, repo)}/blob/{sha}/{path}",
        "raw_url": f"{html_url(world, repo)}/raw/{sha}/{path}",
        "contents_url": f"{api_url(world, repo)}/contents/{path}?ref={sha}",
    }
    if file.patch is not None:
        out["patch"] = file.patch
    if file.previous is not None:
        out["previous_filename"] = file.previous
    return out


def tree(world: World, repo: Repo, sha: str, entries: Sequence[Entry], *, truncated: bool) -> Json:
    """A tree's entries."""
    return {
        "sha": sha,
        "url": f"{api_url(world, repo)}/git/trees/{sha}",
        "tree": [_entry(world, repo, entry) for entry in entries],
        "truncated": truncated,
    }


def blob(world: World, repo: Repo, sha: str, data: bytes) -> Json:
    """A blob, always base64."""
    return {
        "sha": sha,
        "node_id": f"B_{sha}",
        "size": len(data),
        "url": f"{api_url(world, repo)}/git/blobs/{sha}",
        "content": base64_lines(data),
        "encoding": "base64",
    }


def content_file(world: World, repo: Repo, at: str, entry: Entry, data: bytes | None) -> Json:
    """One entry of the contents API at revision `at`; `data` None leaves the content out (a listing)."""
    path = quote(entry.path)
    kinds = {"tree": "dir", "commit": "submodule"}
    kind = "symlink" if entry.mode == "120000" else kinds.get(entry.kind, "file")
    url = f"{api_url(world, repo)}/contents/{path}?ref={quote(at)}"
    git_url = f"{api_url(world, repo)}/git/{entry.kind}s/{entry.sha}"
    html = f"{html_url(world, repo)}/{entry.kind}/{quote(at)}/{path}"
    out: Json = {
        "type": kind,
        "size": entry.size or 0,
        "name": entry.path.rsplit("/", 1)[-1],
        "path": entry.path,
        "sha": entry.sha,
        "url": url,
        "git_url": git_url,
        "html_url": html,
        "download_url": f"{html_url(world, repo)}/raw/{quote(at)}/{path}" if kind == "file" else None,
        "_links": {"self": url, "git": git_url, "html": html},
    }
    return out if data is None else {**out, "encoding": "base64", "content": base64_lines(data)}


def base64_lines(data: bytes) -> str:
    """Base64 in lines, as GitHub sends it."""
    text = base64.b64encode(data).decode()
    return "".join(f"{text[at : at + _BASE64_WIDTH]}\n" for at in range(0, len(text), _BASE64_WIDTH))


def _entry(world: World, repo: Repo, it: Entry) -> Json:
    out: Json = {"path": it.path, "mode": it.mode, "type": it.kind, "sha": it.sha}
    if it.size is not None:
        out["size"] = it.size
    if it.kind != "commit":
        out["url"] = f"{api_url(world, repo)}/git/{it.kind}s/{it.sha}"
    return out


def _person(who: Person) -> Json:
    return {"name": who.name, "email": who.email, "date": stamp(who.date)}


def _account_of(world: World, repo: Repo, who: Person) -> Json | None:
    found = repo.commit_authors.get(who.email)
    return account(world, found) if found else None


def _parent(world: World, repo: Repo, sha: str, part: str) -> Json:
    return {
        "sha": sha,
        "url": f"{api_url(world, repo)}/{part}/{sha}",
        "html_url": f"{html_url(world, repo)}/commit/{sha}",
    }


def _verification(repo: Repo, it: Commit) -> Json:
    """GitHub signs what an App commits in its own name; nobody else here signs anything."""
    if it.sha not in repo.verified:
        return {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    return {
        "verified": True,
        "reason": "valid",
        "signature": "\n".join(wrap(f"sandbox signature of {it.sha}", 64)),
        "payload": f"tree {it.tree}",
        "verified_at": stamp(it.committer.date),
    }
