"""Single commits as GitHub shows them: what one says and changes, and how one stands to a branch.

Reads only; whether a commit is ours is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from bot.domain import BlobSha, CommitNote, CommitSha, TestPath, TreeSha
from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import GitHubClient
from bot.forge.endpoint import RepositoryName
from bot.forge.git_objects import MOST_COMMITS, SUBJECT_LIMIT, checked_sha
from bot.forge.payloads.commits import (
    CommitDetail,
    CommitFile,
    CommitList,
    CommitObjectPayload,
    DivergencePayload,
    ListedCommit,
)


@dataclass(frozen=True, slots=True)
class CommitRead:
    """A commit's message, its only parent (None: none, or several), and the files it changes.

    `changed` gives each path its blob after the commit, None for a path that is gone; a rename is
    a path gone and another one there.
    """

    message: str
    parent: CommitSha | None
    changed: Mapping[str, BlobSha | None]
    parents: tuple[CommitSha, ...] = ()


async def read_commit(client: GitHubClient, repository: str, commit: CommitSha) -> CommitRead:
    """One commit. GitHub lists at most 3,000 of its files.

    Raises:
        RefusedError: it is not in the repository.
        BusyError: GitHub did not answer.
    """
    url = RepositoryName.of(repository).path + "/commits/{sha}?per_page=100"
    first: CommitDetail | None = None
    changed: dict[str, BlobSha | None] = {}
    async for page in client.pages(CommitDetail, url, sha=checked_sha(commit)):
        first = first or page
        for file in page.files:
            changed.update(_changes(file))
    if first is None:
        raise BusyError(f"commit {commit}: an answer without a page")
    parents = tuple(CommitSha(one.sha) for one in first.parents)
    return CommitRead(first.commit.message, parents[0] if len(parents) == 1 else None, changed, parents)


async def read_commit_object(
    client: GitHubClient, repository: str, commit: CommitSha
) -> tuple[TreeSha, tuple[CommitSha, ...]]:
    """The tree of one commit and its parents.

    Raises:
        RefusedError: it is not in the repository.
        BusyError: GitHub did not answer, or told of another commit.
    """
    url = RepositoryName.of(repository).path + "/git/commits/{sha}"
    found = await client.get(CommitObjectPayload, url, sha=checked_sha(commit))
    if found.sha != commit:
        raise BusyError(f"commit {commit}: GitHub told of another one")
    return TreeSha(found.tree.sha), tuple(CommitSha(one.sha) for one in found.parents)


async def read_divergence(
    client: GitHubClient, repository: str, branch: str, head: CommitSha
) -> tuple[CommitSha, CommitSha]:
    """The tip of a branch, and the newest commit that it and `head` have in common.

    A head that exists in a fork alone is found once a pull request has brought it here.

    Raises:
        RefusedError: branch or head is not there, or they have nothing in common.
        BusyError: GitHub did not answer.
    """
    url = RepositoryName.of(repository).path + "/compare/{base}...{head}?per_page=1"
    found = await client.get(DivergencePayload, url, base=branch, head=checked_sha(head))
    return CommitSha(found.base_commit.sha), CommitSha(found.merge_base_commit.sha)


def _changes(file: CommitFile) -> dict[str, BlobSha | None]:
    gone: dict[str, BlobSha | None] = {}
    if file.status == "renamed" and file.previous_filename:
        gone[file.previous_filename] = None
    after = None if file.status == "removed" or file.sha is None else BlobSha(file.sha)
    return gone | {file.filename: after}


async def read_touching(
    client: GitHubClient, repository: str, path: TestPath, ends: tuple[CommitSha | None, CommitSha]
) -> tuple[CommitNote, ...]:
    """The newest commits of the second end that touch a file, down to the one that the first end has as its newest.

    GitHub follows a path through a commit's own history only, so where the first end is on another line
    the commits before the fork are given too. None where a commit is unknown.

    Raises:
        BusyError: GitHub did not answer.
    """
    since, until = ends
    try:
        last = await _listed(client, repository, path, since, 1) if since else ()
        found = await _listed(client, repository, path, until, MOST_COMMITS)
    except RefusedError as error:
        if error.status in (404, 409, 422):
            return ()
        raise
    known = {one.sha for one in last}
    return tuple(takewhile(lambda one: one.sha not in known, found))


async def _listed(
    client: GitHubClient, repository: str, path: TestPath, sha: CommitSha, most: int
) -> tuple[CommitNote, ...]:
    url = RepositoryName.of(repository).path + "/commits?sha={sha}&path={path}&per_page={most}"
    page = await client.get(CommitList, url, sha=checked_sha(sha), path=path, most=str(most))
    return tuple(map(_note, page.root[:most]))


def _note(listed: ListedCommit) -> CommitNote:
    subject = listed.commit.message.partition("\n")[0][:SUBJECT_LIMIT]
    return CommitNote(CommitSha(listed.sha), subject, listed.commit.committer.date if listed.commit.committer else None)
