"""REST: the git database: references, commits, trees, blobs."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from typing import Any

from bot.sandbox import views_git as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, listing, not_found, wrong_type
from bot.sandbox.git_reader import GitError
from bot.sandbox.git_values import ZERO, Entry, Person, RefChange
from bot.sandbox.refs import Move, RefRefusal, RefusedMoveError, move_refs
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.repo import Repo

READ, WRITE = (("contents", "read"),), (("contents", "write"),)
MODES = frozenset({"100644", "100755", "040000", "160000", "120000"})
MAX_TREE_ENTRIES = 100_000  # docs.github.com/rest/git/trees: the limit of the recursive listing
MAX_BLOB_BYTES = 100_000_000


def get_ref(call: Call) -> Answer:
    """One reference by its exact name."""
    name = f"refs/{call.path['ref']}"
    sha = call.repo.git.ref(name)
    if sha is None:
        raise not_found()
    return Answer(view.reference(call.world, call.repo, name, sha))


def matching_refs(call: Call) -> Answer:
    """The references that start with a name."""
    found = call.repo.git.refs(f"refs/{call.path['ref']}")
    return listing(call, found, lambda pair: view.reference(call.world, call.repo, *pair))


def create_ref(call: Call) -> Answer:
    """A new reference; 422 where it exists."""
    name, sha = call.text("ref"), call.text("sha")
    if call.repo.git.ref(name) is not None:
        raise ApiError(422, RefRefusal.EXISTS.value)
    move(call, Move(RefChange(name, sha, ZERO)))
    return Answer(view.reference(call.world, call.repo, name, sha), 201)


def update_ref(call: Call) -> Answer:
    """Move a reference: no compare-and-swap here, only a fast-forward check."""
    name, sha = f"refs/{call.path['ref']}", call.text("sha")
    if call.repo.git.ref(name) is None:
        raise ApiError(422, RefRefusal.MISSING.value)
    move(call, Move(RefChange(name, sha), call.flag("force")))
    return Answer(view.reference(call.world, call.repo, name, sha))


def delete_ref(call: Call) -> Answer:
    """Remove a reference."""
    move(call, Move(RefChange(f"refs/{call.path['ref']}", ZERO), force=True))
    return Answer(status=204)


def move(call: Call, *moves: Move) -> None:
    """Move references for a REST call, in REST's words."""
    try:
        move_refs(call.world, call.repo, moves, workflows=call.caller.may("workflows", "write"))
    except RefusedMoveError as refused:
        status = 403 if refused.reason is RefRefusal.WORKFLOWS else 422
        raise ApiError(status, refused.reason.value) from refused


def get_commit(call: Call) -> Answer:
    """One commit object."""
    sha = call.path["commit_sha"]
    if call.repo.git.kind(sha) != "commit":
        raise not_found()
    return Answer(view.git_commit(call.world, call.repo, call.repo.git.commit(sha)))


def create_commit(call: Call) -> Answer:
    """A commit object. Without author and committer it is the App's own, and signed."""
    message, tree, parents = call.text("message"), call.text("tree"), call.texts("parents")
    own = own_person(call.caller.actor, call.world.clock())
    author = _person(call, "author") or own
    committer = _person(call, "committer") or author
    git = call.repo.git
    if git.kind(tree) != "tree":
        raise ApiError(422, "Tree SHA does not exist")
    if any(git.kind(parent) != "commit" for parent in parents):
        raise ApiError(422, "Parent SHA does not exist or is not a commit object")
    sha = git.write_commit(tree, parents, message, (author, committer))
    if call.caller.via_app is not None and not call.body.get("author") and not call.body.get("committer"):
        remember_author(call.repo, call.caller.actor)
        call.repo.verified.add(sha)
    return Answer(view.git_commit(call.world, call.repo, git.commit(sha)), 201)


def get_tree(call: Call) -> Answer:
    """A tree, by its SHA, a commit's or a branch's name; `recursive` with any value goes down."""
    name = call.path["tree_sha"]
    sha = call.repo.git.resolve(f"{name}^{{tree}}")
    if sha is None:
        raise not_found()
    options = ("-r", "-t") if "recursive" in call.query else ()
    entries = call.repo.git.entries(sha, *options)
    limit = call.repo.tree_limit or MAX_TREE_ENTRIES
    cut = bool(options) and len(entries) > limit
    return Answer(view.tree(call.world, call.repo, sha, entries[:limit] if cut else entries, truncated=cut))


def create_tree(call: Call) -> Answer:
    """A tree from entries over a base tree; inline content is UTF-8, whatever the file was."""
    raw = call.body.get("tree")
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise wrong_type("tree", "is not an array of objects")
    base = call.body.get("base_tree")
    top = call.repo.git.resolve(f"{base}^{{tree}}") if isinstance(base, str) and base else None
    if base and top is None:
        raise ApiError(422, "base_tree is not a valid tree oid")
    try:
        sha = call.repo.git.write_tree(top, [_entry(call.repo, item) for item in raw])
    except GitError as error:
        raise ApiError(422, "tree.path contains a malformed path component") from error
    return Answer(view.tree(call.world, call.repo, sha, call.repo.git.entries(sha), truncated=False), 201)


def get_blob(call: Call) -> Answer:
    """One blob, base64."""
    sha = call.path["file_sha"]
    if call.repo.git.kind(sha) != "blob":
        raise not_found()
    data = call.repo.git.blob(sha)
    if "raw" in call.headers.get("Accept", ""):
        return Answer(data, headers={"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    return Answer(view.blob(call.world, call.repo, sha, data))


def create_blob(call: Call) -> Answer:
    """A blob from text or base64."""
    content, encoding = call.text("content"), call.text("encoding", "utf-8")
    data = content.encode("utf-8", "surrogatepass")
    if encoding == "base64":
        try:
            data = base64.b64decode("".join(content.split()), validate=True)
        except binascii.Error as error:
            raise ApiError(422, "content is not valid Base64") from error
    if len(data) > MAX_BLOB_BYTES:
        raise ApiError(422, "Blob is too big")
    sha = call.repo.git.write_blob(data)
    return Answer({"sha": sha, "url": view.blob(call.world, call.repo, sha, b"")["url"]}, 201)


def own_person(actor: Account, at: datetime) -> Person:
    """How GitHub writes an account into a commit."""
    return Person(actor.login, f"{actor.id}+{actor.login}@users.noreply.github.com", at)


def remember_author(repo: Repo, actor: Account) -> None:
    """Let commits of this account show it."""
    repo.commit_authors[own_person(actor, datetime.now(UTC)).email] = actor


def _person(call: Call, role: str) -> Person | None:
    raw = call.body.get(role)
    if not raw:
        return None
    if not isinstance(raw, dict) or not isinstance(raw.get("name"), str) or not isinstance(raw.get("email"), str):
        raise wrong_type(role, "needs a name and an email")
    try:
        at = datetime.fromisoformat(raw["date"]) if raw.get("date") else call.world.clock()
    except (TypeError, ValueError) as error:
        raise wrong_type(f"{role}.date", "is not a time") from error
    return Person(raw["name"], raw["email"], at if at.tzinfo else at.replace(tzinfo=UTC))


def _entry(repo: Repo, raw: dict[str, Any]) -> Entry:
    path, mode, sha = raw.get("path"), raw.get("mode", "100644"), raw.get("sha")
    if not isinstance(path, str) or not path or mode not in MODES:
        raise ApiError(422, "tree.path and tree.mode must be given; mode is one of git's")
    if any(part.lower() in ("", ".", "..", ".git") for part in path.split("/")):
        raise ApiError(422, "tree.path contains a malformed path component")
    if sha is not None and "content" in raw:
        raise ApiError(422, "Must supply either tree.sha or tree.content")
    if "content" in raw:
        sha = repo.git.write_blob(str(raw["content"]).encode("utf-8", "surrogatepass"))
    elif sha is not None and repo.git.kind(str(sha)) is None and mode != "160000":
        raise ApiError(422, f"tree.sha {sha} is not a valid object")
    return Entry(path, mode, "blob", sha)


_REPO = "/repos/{owner}/{repo}"
ROUTES = (
    Route("GET", f"{_REPO}/git/ref/{{ref:.+}}", get_ref, READ),
    Route("GET", f"{_REPO}/git/matching-refs/{{ref:.*}}", matching_refs, READ),
    Route("POST", f"{_REPO}/git/refs", create_ref, WRITE),
    Route("PATCH", f"{_REPO}/git/refs/{{ref:.+}}", update_ref, WRITE),
    Route("DELETE", f"{_REPO}/git/refs/{{ref:.+}}", delete_ref, WRITE),
    Route("GET", f"{_REPO}/git/commits/{{commit_sha}}", get_commit, READ),
    Route("POST", f"{_REPO}/git/commits", create_commit, WRITE),
    Route("GET", f"{_REPO}/git/trees/{{tree_sha:.+}}", get_tree, READ),
    Route("POST", f"{_REPO}/git/trees", create_tree, WRITE),
    Route("GET", f"{_REPO}/git/blobs/{{file_sha}}", get_blob, READ),
    Route("POST", f"{_REPO}/git/blobs", create_blob, WRITE),
)
