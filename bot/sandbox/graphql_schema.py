"""The fields, arguments and inputs of GitHub's GraphQL schema that the sandbox knows, with their resolvers.

Names and types are those of docs.github.com/graphql. Anything not listed does not exist here, and
a client is told so in GitHub's words by `graphql.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.answers import Call
from bot.sandbox.git_store import Entry, RefChange
from bot.sandbox.refs import BRANCHES, Move, RefRefusal, RefusedMoveError, move_refs
from bot.sandbox.state.issues import Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.views_repo import html_url, node_id, stamp

TEXT_LIMIT = 512_000  # bytes after which GitHub truncates `Blob.text`


class FieldError(Exception):
    """A field cannot be answered; the rest of the answer stands."""

    def __init__(self, kind: str | None, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class GitObject:
    """A value of the interface `GitObject`; `kind` is git's word for it."""

    repo: Repo
    oid: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A value of the type `Ref`."""

    repo: Repo
    name: str
    oid: str


@dataclass(frozen=True, slots=True)
class PullValue:
    """A value of the type `PullRequest`."""

    repo: Repo
    issue: Issue


Resolver = Callable[[Call, Any, Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field: how it is resolved, the type of its value ("" for a scalar), and its arguments' types."""

    resolve: Resolver
    type: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


INPUTS: Mapping[str, Mapping[str, str]] = {
    "UpdateRefsInput": {"clientMutationId": "String", "repositoryId": "ID!", "refUpdates": "[RefUpdate!]!"},
    "RefUpdate": {
        "name": "GitRefname!",
        "afterOid": "GitObjectID!",
        "beforeOid": "GitObjectID",
        "force": "Boolean",
    },
    "MarkPullRequestReadyForReviewInput": {"clientMutationId": "String", "pullRequestId": "ID!"},
    "ConvertPullRequestToDraftInput": {"clientMutationId": "String", "pullRequestId": "ID!"},
}
POSSIBLE = {"GitObject": frozenset({"Blob", "Commit", "Tree", "Tag"})}


def _need(call: Call, permission: str, level: str) -> None:
    if not call.caller.may(permission, level):
        raise FieldError("FORBIDDEN", "Resource not accessible by integration")


def _repository(call: Call, _: Any, args: Mapping[str, Any]) -> Repo:
    name = f"{args['owner']}/{args['name']}"
    repo = call.world.repo(name) or call.world.repo(call.world.moved.get(name.lower(), ""))  # it follows renames
    if repo is None or not call.caller.sees(repo):
        raise FieldError("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    return repo


def _object(call: Call, repo: Repo, args: Mapping[str, Any]) -> GitObject | None:
    _need(call, "contents", "read")
    oid = args.get("oid")
    found = repo.git.resolve(str(oid if oid is not None else args.get("expression") or ""))
    return None if found is None else GitObject(repo, found, str(repo.git.kind(found)))


def _ref(call: Call, repo: Repo, args: Mapping[str, Any]) -> Ref | None:
    _need(call, "contents", "read")
    name = str(args["qualifiedName"])
    full = name if name.startswith("refs/") else BRANCHES + name
    oid = repo.git.ref(full)
    return None if oid is None else Ref(repo, full, oid)


def _default_branch(call: Call, repo: Repo, _: Mapping[str, Any]) -> Ref | None:
    return _ref(call, repo, {"qualifiedName": BRANCHES + repo.default_branch})


def _pull_request(call: Call, repo: Repo, args: Mapping[str, Any]) -> PullValue:
    _need(call, "pull_requests", "read")
    issue = repo.issues.get(args["number"])
    if issue is None or issue.pull is None:
        raise FieldError("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {args['number']}.")
    return PullValue(repo, issue)


def _update_refs(call: Call, _: Any, args: Mapping[str, Any]) -> Mapping[str, Any]:
    given = args["input"]
    repo = next((it for it in call.world.repos.values() if node_id("R", it.id) == given["repositoryId"]), None)
    if repo is None or not call.caller.sees(repo):
        raise FieldError("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['repositoryId']}'")
    _need(call, "contents", "write")
    moves = [
        Move(RefChange(it["name"], it["afterOid"], it.get("beforeOid")), bool(it.get("force")))
        for it in given["refUpdates"]
    ]
    try:
        move_refs(call.world, repo, moves, workflows=call.caller.may("workflows", "write"))
    except RefusedMoveError as refused:
        raise _refused(call, refused) from refused
    return {"clientMutationId": given.get("clientMutationId")}


def _refused(call: Call, refused: RefusedMoveError) -> FieldError:
    """A stale `beforeOid` comes back as a generic error, so that clients read the references again."""
    if refused.reason is RefRefusal.STALE:
        at = stamp(call.world.clock())
        return FieldError(None, f"Something went wrong while executing your query on {at}. Please report this issue.")
    if refused.reason is RefRefusal.WORKFLOWS:
        return FieldError("FORBIDDEN", refused.reason.value)
    return FieldError("UNPROCESSABLE", f"{refused.ref}: {refused.reason.value}".strip())


def _draft(*, value: bool) -> Resolver:
    def resolve(call: Call, _: Any, args: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = args["input"]["pullRequestId"]
        for repo in call.world.repos.values():
            for issue in repo.pulls():
                if issue.pull and node_id("PR", issue.pull.id) == wanted and call.caller.sees(repo):
                    _need(call, "pull_requests", "write")
                    issue.pull.draft = value
                    issue.updated_at = call.world.clock()
                    own = args["input"].get("clientMutationId")
                    return {"pullRequest": PullValue(repo, issue), "clientMutationId": own}
        raise FieldError("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'")

    return resolve


def _value(name: str) -> Resolver:
    def resolve(_call: Call, value: Any, _args: Mapping[str, Any]) -> Any:
        return value.get(name)

    return resolve


def _plain(read: Callable[[Any], Any]) -> Resolver:
    def resolve(_call: Call, value: Any, _args: Mapping[str, Any]) -> Any:
        return read(value)

    return resolve


def _blob(it: GitObject) -> bytes:
    return it.repo.git.blob(it.oid)


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:8000]


def _text(it: GitObject) -> str | None:
    """UTF-8 text without its BOM, cut at the limit, other encodings damaged; None for binary data."""
    data = _blob(it)
    return None if _is_binary(data) else data[:TEXT_LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")


def _entries(it: GitObject) -> list[tuple[Repo, Entry]]:
    return [(it.repo, entry) for entry in it.repo.git.entries(it.oid)]


def _entry_object(call: Call, value: tuple[Repo, Entry], _: Mapping[str, Any]) -> GitObject | None:
    return _object(call, value[0], {"oid": value[1].sha})


def _file_of(_call: Call, it: GitObject, args: Mapping[str, Any]) -> tuple[Repo, Entry] | None:
    entries = it.repo.git.entries(it.oid, path=str(args["path"]).strip("/"))
    return (it.repo, entries[0]) if entries else None


def _tree_of(it: GitObject) -> GitObject:
    return GitObject(it.repo, it.repo.git.commit(it.oid).tree, "tree")


_GIT_OBJECT = {
    "id": FieldType(_plain(lambda it: f"{it.kind[0].upper()}_{it.oid}")),
    "oid": FieldType(_plain(lambda it: it.oid)),
    "abbreviatedOid": FieldType(_plain(lambda it: it.oid[:7])),
    "repository": FieldType(_plain(lambda it: it.repo), "Repository"),
}

TYPES: Mapping[str, Mapping[str, FieldType]] = {
    "Query": {
        "repository": FieldType(
            _repository, "Repository", {"owner": "String!", "name": "String!", "followRenames": "Boolean"}
        ),
        "viewer": FieldType(lambda call, _value, _args: call.caller.actor, "User"),
        "rateLimit": FieldType(lambda _call, _value, _args: {}, "RateLimit", {"dryRun": "Boolean"}),
    },
    "Mutation": {
        "updateRefs": FieldType(_update_refs, "UpdateRefsPayload", {"input": "UpdateRefsInput!"}),
        "markPullRequestReadyForReview": FieldType(
            _draft(value=False),
            "MarkPullRequestReadyForReviewPayload",
            {"input": "MarkPullRequestReadyForReviewInput!"},
        ),
        "convertPullRequestToDraft": FieldType(
            _draft(value=True), "ConvertPullRequestToDraftPayload", {"input": "ConvertPullRequestToDraftInput!"}
        ),
    },
    "User": {
        "login": FieldType(_plain(lambda it: it.login)),
        "databaseId": FieldType(_plain(lambda it: it.id)),
    },
    "RateLimit": {
        "cost": FieldType(_plain(lambda _: 1)),
        "limit": FieldType(_plain(lambda _: 5000)),
        "remaining": FieldType(_plain(lambda _: 5000)),
        "resetAt": FieldType(lambda call, _value, _args: stamp(call.world.clock())),
    },
    "Repository": {
        "id": FieldType(_plain(lambda it: node_id("R", it.id))),
        "databaseId": FieldType(_plain(lambda it: it.id)),
        "name": FieldType(_plain(lambda it: it.name)),
        "nameWithOwner": FieldType(_plain(lambda it: it.full_name)),
        "isPrivate": FieldType(_plain(lambda it: it.private)),
        "isArchived": FieldType(_plain(lambda it: it.archived)),
        "url": FieldType(lambda call, it, _args: html_url(call.world, it)),
        "object": FieldType(_object, "GitObject", {"oid": "GitObjectID", "expression": "String"}),
        "ref": FieldType(_ref, "Ref", {"qualifiedName": "String!"}),
        "defaultBranchRef": FieldType(_default_branch, "Ref"),
        "pullRequest": FieldType(_pull_request, "PullRequest", {"number": "Int!"}),
    },
    "Ref": {
        "id": FieldType(_plain(lambda it: f"REF_{it.name}")),
        "name": FieldType(_plain(lambda it: it.name.removeprefix(BRANCHES).removeprefix("refs/tags/"))),
        "prefix": FieldType(_plain(lambda it: it.name[: it.name.index("/", 5) + 1])),
        "target": FieldType(_plain(lambda it: GitObject(it.repo, it.oid, str(it.repo.git.kind(it.oid)))), "GitObject"),
    },
    "PullRequest": {
        "id": FieldType(_plain(lambda it: node_id("PR", it.issue.pull.id))),
        "number": FieldType(_plain(lambda it: it.issue.number)),
        "title": FieldType(_plain(lambda it: it.issue.title)),
        "body": FieldType(_plain(lambda it: it.issue.body or "")),
        "isDraft": FieldType(_plain(lambda it: it.issue.pull.draft)),
        "merged": FieldType(_plain(lambda it: it.issue.pull.merged_at is not None)),
        "headRefName": FieldType(_plain(lambda it: it.issue.pull.head_ref)),
        "headRefOid": FieldType(_plain(lambda it: it.issue.pull.head_sha)),
        "baseRefName": FieldType(_plain(lambda it: it.issue.pull.base_ref)),
        "baseRefOid": FieldType(_plain(lambda it: it.issue.pull.base_sha)),
    },
    "GitObject": _GIT_OBJECT,
    "Tag": _GIT_OBJECT,
    "Blob": {
        **_GIT_OBJECT,
        "byteSize": FieldType(_plain(lambda it: len(_blob(it)))),
        "isBinary": FieldType(_plain(lambda it: _is_binary(_blob(it)))),
        "isTruncated": FieldType(_plain(lambda it: len(_blob(it)) > TEXT_LIMIT)),
        "text": FieldType(_plain(_text)),
    },
    "Commit": {
        **_GIT_OBJECT,
        "message": FieldType(_plain(lambda it: it.repo.git.commit(it.oid).message)),
        "committedDate": FieldType(_plain(lambda it: stamp(it.repo.git.commit(it.oid).committer.date))),
        "tree": FieldType(_plain(_tree_of), "Tree"),
        "file": FieldType(_file_of, "TreeEntry", {"path": "String!"}),
    },
    "Tree": {**_GIT_OBJECT, "entries": FieldType(_plain(_entries), "TreeEntry")},
    "TreeEntry": {
        "name": FieldType(_plain(lambda it: it[1].path.rsplit("/", 1)[-1])),
        "path": FieldType(_plain(lambda it: it[1].path)),
        "mode": FieldType(_plain(lambda it: int(it[1].mode, 8))),
        "type": FieldType(_plain(lambda it: it[1].kind)),
        "size": FieldType(_plain(lambda it: it[1].size or 0)),
        "oid": FieldType(_plain(lambda it: it[1].sha)),
        "object": FieldType(_entry_object, "GitObject"),
    },
    "UpdateRefsPayload": {"clientMutationId": FieldType(_value("clientMutationId"))},
    "MarkPullRequestReadyForReviewPayload": {
        "clientMutationId": FieldType(_value("clientMutationId")),
        "pullRequest": FieldType(_value("pullRequest"), "PullRequest"),
    },
    "ConvertPullRequestToDraftPayload": {
        "clientMutationId": FieldType(_value("clientMutationId")),
        "pullRequest": FieldType(_value("pullRequest"), "PullRequest"),
    },
}


def type_name(declared: str, value: Any) -> str:
    """The concrete type of a value: an interface's is told by the value."""
    return value.kind.capitalize() if declared in POSSIBLE else declared
