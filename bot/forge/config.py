"""The bytes of `.github/recalibrate.yml` at a commit: there, absent, or not to be had.

What the bytes say is `bot.config_file`'s part.
"""

from __future__ import annotations

from bot.config_file import CONFIG_PATH, Unreadable
from bot.domain import BlobSha, CommitSha, blob_sha
from bot.errors import UserError
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.git_objects import checked_sha
from bot.forge.tree import exact_text, read_blob

_QUERY = """query($owner: String!, $name: String!, $commit: String!, $file: String!) {
  repository(owner: $owner, name: $name) {
    commit: object(expression: $commit) { ... on Commit { oid } }
    file: object(expression: $file) { ... on Blob { oid isTruncated text } }
  }
}"""


async def read_config(client: GitHubClient, repository: str, commit: CommitSha) -> bytes | Unreadable | None:
    """The file's bytes; None where the commit has no such file.

    One question asks for the commit and the file, so that a missing permission, which GitHub words
    as "not found", is not taken for a missing file.

    Raises:
        BusyError: GitHub did not answer; nothing is known yet.
    """
    name = RepositoryName.of(repository)
    sha = checked_sha(commit)
    try:
        data = await client.query(_QUERY, owner=name.owner, name=name.name, commit=sha, file=f"{sha}:{CONFIG_PATH}")
        found = data.get("repository")
        if not isinstance(found, dict) or not found.get("commit"):
            return Unreadable("GitHub shows no such commit")
        return await bytes_of(client, name, found.get("file"))
    except UserError as error:
        return Unreadable(str(error))


async def bytes_of(client: GitHubClient, name: RepositoryName, file: object) -> bytes | Unreadable | None:
    """The bytes of GraphQL's word for the file (None: there is none), read by REST where that word is not exact.

    Raises:
        RefusedError: the blob may not be read.
        BusyError: GitHub did not answer.
    """
    if file is None:
        return None
    if not isinstance(file, dict) or not file.get("oid"):
        return Unreadable("it is not a file")
    oid = BlobSha(checked_sha(str(file["oid"])))
    text = exact_text(file)
    return text if text is not None and blob_sha(text) == oid else await read_blob(client, name, oid)
