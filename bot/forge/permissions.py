"""What a person may do in a repository, asked at the moment it matters.

`author_association` of a payload is not a permission: a private member shows as contributor
(github.com/plastic-labs/honcho/pull/1081). A role that could not be verified is no role.
"""

from __future__ import annotations

from enum import StrEnum

from bot.forge.answers import RefusedError
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.payloads.repositories import PermissionPayload


class Role(StrEnum):
    """GitHub's built-in repository roles; a custom role counts as the one it is built on."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"


async def role_of(client: GitHubClient, repository: str, login: str) -> Role:
    """The role of an account in a repository; `NONE` for one GitHub does not know.

    Raises:
        RefusedError: the role may not be asked for.
        BusyError: GitHub did not answer: deny, and say that it could not be verified.
    """
    url = RepositoryName.of(repository).path + "/collaborators/{login}/permission"
    try:
        found = await client.get(PermissionPayload, url, login=login)
    except RefusedError as error:
        if error.status == 404:
            return Role.NONE
        raise
    return _role(found)


def _role(found: PermissionPayload) -> Role:
    """`permission` folds maintain into write and triage into read; `role_name` is exact, or custom."""
    known = {role.value: role for role in Role}
    exact = known.get(found.role_name or "")
    return exact or known.get(found.permission, Role.NONE)
