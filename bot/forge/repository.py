"""What GitHub says of a repository itself: its id, its default branch, where a branch is.

Reads only; files and history are the business of `bot.forge.tree` and `bot.forge.history`.
"""

from __future__ import annotations

from urllib.parse import quote

from bot.domain import CommitSha, RepositoryId
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.payloads.git import RefPayload
from bot.forge.payloads.repositories import RepositoryPayload
from bot.records.repositories import Repository


async def read_repository(client: GitHubClient, repository: str, installation_id: int | None = None) -> Repository:
    """Look a repository up by `owner/name`; `full_name` comes back in GitHub's present spelling.

    Raises:
        RefusedError: it is not there, or hidden from us.
        BusyError: GitHub did not answer.
    """
    found = await client.get(RepositoryPayload, RepositoryName.of(repository).path)
    return known_repository(found, installation_id)


def known_repository(found: RepositoryPayload, installation_id: int | None) -> Repository:
    """A repository's payload as a record."""
    return Repository(
        repository_id=RepositoryId(found.id),
        full_name=found.full_name,
        installation_id=installation_id,
        default_branch=found.default_branch,
        private=found.private,
        archived=found.archived,
    )


async def branch_tip(client: GitHubClient, repository: str, branch: str) -> CommitSha:
    """The commit a branch points to.

    Raises:
        RefusedError: there is no such branch.
        BusyError: GitHub did not answer.
    """
    url = f"{RepositoryName.of(repository).path}/git/ref/heads/{quote(branch, safe='/')}"
    return CommitSha((await client.get(RefPayload, url)).object.sha)
