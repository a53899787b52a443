"""What a task begins with, in one question: the repository, its default branch's tip, the configuration there.

Where GitHub does not answer it whole (a permission is missing, the repository is empty) the repository alone
is looked up, and what is wrong with the rest shows where it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.config_file import CONFIG_PATH, Unreadable
from bot.domain import CommitSha, RepositoryId
from bot.errors import UserError
from bot.forge.client import GitHubClient
from bot.forge.config import bytes_of
from bot.forge.endpoint import RepositoryName
from bot.forge.payloads.repositories import GraphBeginning
from bot.forge.repository import read_repository
from bot.records.repositories import Repository

_QUERY = """query($owner: String!, $name: String!, $file: String!) {
  repository(owner: $owner, name: $name) {
    databaseId nameWithOwner isPrivate isArchived
    defaultBranchRef {
      name
      target { oid ... on Commit { file(path: $file) { object { ... on Blob { oid isTruncated text } } } } }
    }
  }
}"""


@dataclass(frozen=True, slots=True)
class BeginningRead:
    """The repository; `tip` is None, and `config` says nothing, where the rest was not to be had by this question."""

    repository: Repository
    tip: CommitSha | None = None
    config: bytes | Unreadable | None = None


async def read_beginning(client: GitHubClient, repository: str) -> BeginningRead:
    """Ask for all of it.

    Raises:
        RefusedError: the repository is not there, or hidden from us.
        BusyError: GitHub did not answer.
    """
    name = RepositoryName.of(repository)
    try:
        data = await client.query(_QUERY, owner=name.owner, name=name.name, file=CONFIG_PATH)
        found = GraphBeginning.model_validate(data.get("repository"))
        target = found.branch.target
        config = await bytes_of(client, name, target.file and target.file.get("object"))
    except (UserError, ValueError):
        return BeginningRead(await read_repository(client, repository))
    known = Repository(
        repository_id=RepositoryId(found.database_id),
        full_name=found.full_name,
        installation_id=None,
        default_branch=found.branch.name,
        private=found.private,
        archived=found.archived,
    )
    return BeginningRead(known, CommitSha(target.oid), config)
