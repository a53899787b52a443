"""Answers about commits: their files, their order, how two of them stand to each other.

Nothing that makes a commit is here.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import RootModel

from bot.forge.payloads.git import ObjectPayload
from bot.forge.payloads.payload import Payload, Sha


class ComparePayload(Payload):
    """GET compare/{base}...{head}: `ahead`, `identical`, `behind` or `diverged`."""

    status: str


class DivergencePayload(Payload):
    """The same, where its commits are of interest."""

    base_commit: ObjectPayload
    merge_base_commit: ObjectPayload


class CommitFile(Payload):
    """One file that a commit changes. `sha` is the blob after it."""

    filename: str
    status: str
    sha: Sha | None = None
    previous_filename: str | None = None


class CommitWords(Payload):
    """The git part of a commit."""

    message: str


class CommitPerson(Payload):
    """Who committed, and when."""

    date: datetime | None = None


class ListedWords(Payload):
    """The git part of a listed commit."""

    message: str
    committer: CommitPerson | None = None


class ListedCommit(Payload):
    """One of GET commits."""

    sha: Sha
    commit: ListedWords


class CommitList(RootModel[tuple[ListedCommit, ...]]):
    """GET commits, one page."""


class CommitDetail(Payload):
    """GET commits/{ref}, one page of its files."""

    commit: CommitWords
    parents: tuple[ObjectPayload, ...]
    files: tuple[CommitFile, ...] = ()


class CommitObjectPayload(Payload):
    """GET git/commits/{sha}: the object itself, without what it changes."""

    sha: Sha
    tree: ObjectPayload
    parents: tuple[ObjectPayload, ...]
