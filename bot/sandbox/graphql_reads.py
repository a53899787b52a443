"""GraphQL's reading resolvers: a repository, its references and pull requests, its git objects. They change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox.answers import Call
from bot.sandbox.git_values import Entry
from bot.sandbox.graphql_values import FieldError, GitObject, PullValue, Ref, need
from bot.sandbox.refs import BRANCHES
from bot.sandbox.state.repo import Repo

TEXT_LIMIT = 512_000  # bytes after which GitHub truncates `Blob.text`


def repository(call: Call, _: Any, args: Mapping[str, Any]) -> Repo:
    """The repository of that owner and name; a former name leads to the present one, others are `FieldError`."""
    name = f"{args['owner']}/{args['name']}"
    repo = call.world.repo(name) or call.world.repo(call.world.moved.get(name.lower(), ""))  # it follows renames
    if repo is None or not call.caller.sees(repo):
        raise FieldError("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    return repo


def git_object(call: Call, repo: Repo, args: Mapping[str, Any]) -> GitObject | None:
    """The object of an `oid` or a revision `expression`; null where there is none."""
    need(call, "contents", "read")
    oid = args.get("oid")
    found = repo.git.resolve(str(oid if oid is not None else args.get("expression") or ""))
    return None if found is None else GitObject(repo, found, str(repo.git.kind(found)))


def ref(call: Call, repo: Repo, args: Mapping[str, Any]) -> Ref | None:
    """The reference of a full name, or a branch of that name; null where there is none."""
    need(call, "contents", "read")
    name = str(args["qualifiedName"])
    full = name if name.startswith("refs/") else BRANCHES + name
    oid = repo.git.ref(full)
    return None if oid is None else Ref(repo, full, oid)


def default_branch(call: Call, repo: Repo, _: Mapping[str, Any]) -> Ref | None:
    """The reference of the default branch; null while it has no commit."""
    return ref(call, repo, {"qualifiedName": BRANCHES + repo.default_branch})


def pull_request(call: Call, repo: Repo, args: Mapping[str, Any]) -> PullValue:
    """The pull request of that number; `FieldError` where there is none."""
    need(call, "pull_requests", "read")
    issue = repo.issues.get(args["number"])
    if issue is None or issue.pull is None:
        raise FieldError("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {args['number']}.")
    return PullValue(repo, issue)


def blob(it: GitObject) -> bytes:
    """The bytes of a blob."""
    return it.repo.git.blob(it.oid)


def is_binary(data: bytes) -> bool:
    """True for what git takes for binary: a NUL byte among the first 8,000."""
    return b"\0" in data[:8000]


def text(it: GitObject) -> str | None:
    """UTF-8 text without its BOM, cut at the limit, other encodings damaged; None for binary data."""
    data = blob(it)
    return None if is_binary(data) else data[:TEXT_LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")


def entries(it: GitObject) -> list[tuple[Repo, Entry]]:
    """The lines of a tree, each with its repository."""
    return [(it.repo, entry) for entry in it.repo.git.entries(it.oid)]


def entry_object(call: Call, value: tuple[Repo, Entry], _: Mapping[str, Any]) -> GitObject | None:
    """What a line of a tree points to."""
    return git_object(call, value[0], {"oid": value[1].sha})


def file_of(_call: Call, it: GitObject, args: Mapping[str, Any]) -> tuple[Repo, Entry] | None:
    """The line of a commit's tree at a path; null where there is none."""
    entries = it.repo.git.entries(it.oid, path=str(args["path"]).strip("/"))
    return (it.repo, entries[0]) if entries else None


def tree_of(it: GitObject) -> GitObject:
    """The tree of a commit."""
    return GitObject(it.repo, it.repo.git.commit(it.oid).tree, "tree")
