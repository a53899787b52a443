"""REST: a repository, its files, commits and comparisons, and who may do what in it."""

from __future__ import annotations

from datetime import datetime

from bot.sandbox import views_git as view
from bot.sandbox.answers import Answer, Call, Route, listing, not_found, paged
from bot.sandbox.state.repo import Repo
from bot.sandbox.views_repo import account, api_url, full_repository, html_url

METADATA, CONTENTS = (("metadata", "read"),), (("contents", "read"),)
_OLD_NAMES = {"maintain": "write", "triage": "read"}  # `permission` knows four words, `role_name` all
MAX_CONTENT_BYTES = 1024 * 1024  # docs.github.com/rest/repos/contents: content is left out above it


def get_repo(call: Call) -> Answer:
    """The repository itself."""
    return Answer(full_repository(call.world, call.repo))


def get_contents(call: Call) -> Answer:
    """A file with its content, or the list of a directory, at `ref`."""
    at = call.query.get("ref") or call.repo.default_branch
    path = call.path["path"].strip("/")
    commit = call.repo.git.commit_of(at)
    if commit is None:
        raise not_found()
    if not path or call.repo.git.kind(f"{commit}:{path}") == "tree":
        entries = call.repo.git.entries(commit, path=f"{path}/" if path else "")
        return Answer([view.content_file(call.world, call.repo, at, entry, None) for entry in entries])
    found = [entry for entry in call.repo.git.entries(commit, path=path) if entry.path == path and entry.sha]
    if not found or found[0].kind != "blob":
        raise not_found()
    data = call.repo.git.blob(str(found[0].sha))
    if "raw" in call.headers.get("Accept", ""):
        return Answer(data, headers={"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    body = view.content_file(call.world, call.repo, at, found[0], data)
    if len(data) > MAX_CONTENT_BYTES:
        body |= {"content": "", "encoding": "none"}
    return Answer(body)


def list_commits(call: Call) -> Answer:
    """Commits reachable from `sha`, newest first; `path`, `since` and `until` narrow them."""
    start = call.repo.git.commit_of(call.query.get("sha") or call.repo.default_branch)
    if start is None:
        raise not_found()
    limits = [f"--{name}={_time(call.query[name])}" for name in ("since", "until") if name in call.query]
    path = call.query.get("path")
    found = call.repo.git.log(start, *limits, paths=[path] if path else [])
    return listing(call, found, lambda it: view.commit(call.world, call.repo, it))


def get_commit(call: Call) -> Answer:
    """One commit with its files, by SHA, branch or tag."""
    sha = call.repo.git.commit_of(call.path["ref"])
    if sha is None:
        raise not_found()
    return Answer(view.commit_with_files(call.world, call.repo, call.repo.git.commit(sha)))


def compare(call: Call) -> Answer:
    """How `base...head` differ: status, counts, commits and files since the merge base."""
    base, dots, head = call.path["basehead"].partition("...")
    one, other = (call.repo.git.commit_of(_own(call.repo, name)) for name in (base, head))
    start = call.repo.git.merge_base(one, other) if one and other and dots else None
    if one is None or other is None or start is None:
        raise not_found()
    git, url = call.repo.git, f"{api_url(call.world, call.repo)}/compare/{call.path['basehead']}"
    html = f"{html_url(call.world, call.repo)}/compare/{call.path['basehead']}"
    ahead, behind = git.log("--reverse", f"{one}..{other}"), git.log(f"{other}..{one}")
    chosen, headers = paged(call, ahead)
    body = {
        "url": url,
        "html_url": html,
        "permalink_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "base_commit": view.commit(call.world, call.repo, git.commit(one)),
        "merge_base_commit": view.commit(call.world, call.repo, git.commit(start)),
        "status": _status(len(ahead), len(behind)),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [view.commit(call.world, call.repo, it) for it in chosen],
        "files": [view.diff_entry(call.world, call.repo, other, file) for file in git.diff(start, other)],
    }
    return Answer(body, headers=headers)


def get_permission(call: Call) -> Answer:
    """What an account may do: `permission` in four old words, `role_name` exactly."""
    who = call.world.accounts.get(call.path["username"].lower())
    if who is None:
        raise not_found()
    role = (
        "admin" if who == call.repo.owner else call.repo.roles.get(who.login, "none" if call.repo.private else "read")
    )
    body = {
        "permission": _OLD_NAMES.get(role, role),
        "role_name": role,
        "user": {**account(call.world, who), "role_name": role},
    }
    return Answer(body)


def _own(repo: Repo, name: str) -> str:
    """`owner:branch` of this repository's own owner means the branch."""
    return name.removeprefix(f"{repo.owner.login}:")


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    if ahead or behind:
        return "ahead" if ahead else "behind"
    return "identical"


def _time(text: str) -> str:
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError as error:
        raise not_found() from error


_REPO = "/repos/{owner}/{repo}"
ROUTES = (
    Route("GET", _REPO, get_repo, METADATA),
    Route("GET", f"{_REPO}/contents/{{path:.*}}", get_contents, CONTENTS),
    Route("GET", f"{_REPO}/commits", list_commits, CONTENTS),
    Route("GET", f"{_REPO}/commits/{{ref:.+}}", get_commit, CONTENTS),
    Route("GET", f"{_REPO}/compare/{{basehead:.+}}", compare, CONTENTS),
    Route("GET", f"{_REPO}/collaborators/{{username}}/permission", get_permission, METADATA),
)
