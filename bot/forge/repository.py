"""What GitHub says of a repository itself: its id, its default branch, where a branch is.

Reads only; files and history are `bot.forge.tree`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from bot.domain import CommitSha, RepositoryId
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.payloads import RefPayload, RepositoryPayload


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """A repository as it is now. `full_name` is GitHub's spelling, after renames and transfers."""

    repository_id: RepositoryId
    full_name: str
    default_branch: str
    private: bool
    archived: bool


async def repository_facts(client: GitHubClient, repository: str) -> RepositoryFacts:
    """Look a repository up by `owner/name`.

    Raises:
        RefusedError: it is not there, or hidden from us.
        BusyError: GitHub did not answer.
    """
    found = await client.get(RepositoryPayload, RepositoryName.of(repository).path)
    return RepositoryFacts(RepositoryId(found.id), found.full_name, found.default_branch, found.private, found.archived)


async def branch_tip(client: GitHubClient, repository: str, branch: str) -> CommitSha:
    """The commit a branch points to.

    Raises:
        RefusedError: there is no such branch.
        BusyError: GitHub did not answer.
    """
    url = f"{RepositoryName.of(repository).path}/git/ref/heads/{quote(branch, safe='/')}"
    return CommitSha((await client.get(RefPayload, url)).object.sha)
