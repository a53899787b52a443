"""Answers about repositories and a user's permission in one; their git objects are in `bot.forge.payloads.git`."""

from __future__ import annotations

from pydantic import Field

from bot.forge.payloads.payload import Payload, Sha


class GraphTarget(Payload):
    """The commit a branch points to, and GraphQL's word for one file of it."""

    oid: Sha
    file: dict[str, object] | None


class GraphBranch(Payload):
    """A branch in GraphQL."""

    name: str
    target: GraphTarget


class GraphBeginning(Payload):
    """A repository in GraphQL, with its default branch."""

    database_id: int = Field(alias="databaseId")
    full_name: str = Field(alias="nameWithOwner")
    private: bool = Field(alias="isPrivate")
    archived: bool = Field(alias="isArchived")
    branch: GraphBranch = Field(alias="defaultBranchRef")


class RepositoryPayload(Payload):
    """GET /repos/{owner}/{repo}."""

    id: int
    full_name: str
    default_branch: str
    private: bool = False
    archived: bool = False


class RepositoryPage(Payload):
    """One page of GET /installation/repositories."""

    total_count: int
    repositories: tuple[RepositoryPayload, ...]


class PermissionPayload(Payload):
    """GET collaborators/{login}/permission. `permission` folds maintain into write and triage into read."""

    permission: str
    role_name: str | None = None
