"""The fields, arguments and inputs of GitHub's GraphQL schema that the sandbox knows, with their resolvers.

Names and types are those of docs.github.com/graphql. Anything not listed does not exist here, and
a client is told so in GitHub's words by `graphql.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox import graphql_mutations as mutations
from bot.sandbox import graphql_reads as reads
from bot.sandbox.graphql_values import FieldType, GitObject, entry_of, plain
from bot.sandbox.refs import BRANCHES
from bot.sandbox.views_repo import html_url, node_id, stamp

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


_GIT_OBJECT = {
    "id": FieldType(plain(lambda it: f"{it.kind[0].upper()}_{it.oid}")),
    "oid": FieldType(plain(lambda it: it.oid)),
    "abbreviatedOid": FieldType(plain(lambda it: it.oid[:7])),
    "repository": FieldType(plain(lambda it: it.repo), "Repository"),
}

TYPES: Mapping[str, Mapping[str, FieldType]] = {
    "Query": {
        "repository": FieldType(
            reads.repository, "Repository", {"owner": "String!", "name": "String!", "followRenames": "Boolean"}
        ),
        "viewer": FieldType(lambda call, _value, _args: call.caller.actor, "User"),
        "rateLimit": FieldType(lambda _call, _value, _args: {}, "RateLimit", {"dryRun": "Boolean"}),
    },
    "Mutation": {
        "updateRefs": FieldType(mutations.update_refs, "UpdateRefsPayload", {"input": "UpdateRefsInput!"}),
        "markPullRequestReadyForReview": FieldType(
            mutations.draft(value=False),
            "MarkPullRequestReadyForReviewPayload",
            {"input": "MarkPullRequestReadyForReviewInput!"},
        ),
        "convertPullRequestToDraft": FieldType(
            mutations.draft(value=True),
            "ConvertPullRequestToDraftPayload",
            {"input": "ConvertPullRequestToDraftInput!"},
        ),
    },
    "User": {
        "login": FieldType(plain(lambda it: it.login)),
        "databaseId": FieldType(plain(lambda it: it.id)),
    },
    "RateLimit": {
        "cost": FieldType(plain(lambda _: 1)),
        "limit": FieldType(plain(lambda _: 5000)),
        "remaining": FieldType(plain(lambda _: 5000)),
        "resetAt": FieldType(lambda call, _value, _args: stamp(call.world.clock())),
    },
    "Repository": {
        "id": FieldType(plain(lambda it: node_id("R", it.id))),
        "databaseId": FieldType(plain(lambda it: it.id)),
        "name": FieldType(plain(lambda it: it.name)),
        "nameWithOwner": FieldType(plain(lambda it: it.full_name)),
        "isPrivate": FieldType(plain(lambda it: it.private)),
        "isArchived": FieldType(plain(lambda it: it.archived)),
        "url": FieldType(lambda call, it, _args: html_url(call.world, it)),
        "object": FieldType(reads.git_object, "GitObject", {"oid": "GitObjectID", "expression": "String"}),
        "ref": FieldType(reads.ref, "Ref", {"qualifiedName": "String!"}),
        "defaultBranchRef": FieldType(reads.default_branch, "Ref"),
        "pullRequest": FieldType(reads.pull_request, "PullRequest", {"number": "Int!"}),
    },
    "Ref": {
        "id": FieldType(plain(lambda it: f"REF_{it.name}")),
        "name": FieldType(plain(lambda it: it.name.removeprefix(BRANCHES).removeprefix("refs/tags/"))),
        "prefix": FieldType(plain(lambda it: it.name[: it.name.index("/", 5) + 1])),
        "target": FieldType(plain(lambda it: GitObject(it.repo, it.oid, str(it.repo.git.kind(it.oid)))), "GitObject"),
    },
    "PullRequest": {
        "id": FieldType(plain(lambda it: node_id("PR", it.issue.pull.id))),
        "number": FieldType(plain(lambda it: it.issue.number)),
        "title": FieldType(plain(lambda it: it.issue.title)),
        "body": FieldType(plain(lambda it: it.issue.body or "")),
        "isDraft": FieldType(plain(lambda it: it.issue.pull.draft)),
        "merged": FieldType(plain(lambda it: it.issue.pull.merged_at is not None)),
        "headRefName": FieldType(plain(lambda it: it.issue.pull.head_ref)),
        "headRefOid": FieldType(plain(lambda it: it.issue.pull.head_sha)),
        "baseRefName": FieldType(plain(lambda it: it.issue.pull.base_ref)),
        "baseRefOid": FieldType(plain(lambda it: it.issue.pull.base_sha)),
    },
    "GitObject": _GIT_OBJECT,
    "Tag": _GIT_OBJECT,
    "Blob": {
        **_GIT_OBJECT,
        "byteSize": FieldType(plain(lambda it: len(reads.blob(it)))),
        "isBinary": FieldType(plain(lambda it: reads.is_binary(reads.blob(it)))),
        "isTruncated": FieldType(plain(lambda it: len(reads.blob(it)) > reads.TEXT_LIMIT)),
        "text": FieldType(plain(reads.text)),
    },
    "Commit": {
        **_GIT_OBJECT,
        "message": FieldType(plain(lambda it: it.repo.git.commit(it.oid).message)),
        "committedDate": FieldType(plain(lambda it: stamp(it.repo.git.commit(it.oid).committer.date))),
        "tree": FieldType(plain(reads.tree_of), "Tree"),
        "file": FieldType(reads.file_of, "TreeEntry", {"path": "String!"}),
    },
    "Tree": {**_GIT_OBJECT, "entries": FieldType(plain(reads.entries), "TreeEntry")},
    "TreeEntry": {
        "name": FieldType(plain(lambda it: it[1].path.rsplit("/", 1)[-1])),
        "path": FieldType(plain(lambda it: it[1].path)),
        "mode": FieldType(plain(lambda it: int(it[1].mode, 8))),
        "type": FieldType(plain(lambda it: it[1].kind)),
        "size": FieldType(plain(lambda it: it[1].size or 0)),
        "oid": FieldType(plain(lambda it: it[1].sha)),
        "object": FieldType(reads.entry_object, "GitObject"),
    },
    "UpdateRefsPayload": {"clientMutationId": FieldType(entry_of("clientMutationId"))},
    "MarkPullRequestReadyForReviewPayload": {
        "clientMutationId": FieldType(entry_of("clientMutationId")),
        "pullRequest": FieldType(entry_of("pullRequest"), "PullRequest"),
    },
    "ConvertPullRequestToDraftPayload": {
        "clientMutationId": FieldType(entry_of("clientMutationId")),
        "pullRequest": FieldType(entry_of("pullRequest"), "PullRequest"),
    },
}


def type_name(declared: str, value: Any) -> str:
    """The concrete type of a value: an interface's is told by the value."""
    return value.kind.capitalize() if declared in POSSIBLE else declared
