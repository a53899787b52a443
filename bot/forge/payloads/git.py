"""Answers about trees, blobs and refs; commits are in `bot.forge.payloads.commits`."""

from __future__ import annotations

from pydantic import Field

from bot.forge.payloads.payload import Payload, Sha


class TreeItem(Payload):
    """One entry of a git tree. `size` is a blob's, in bytes."""

    path: str
    mode: str
    type: str
    sha: Sha
    size: int | None = None


class TreePayload(Payload):
    """GET git/trees/{sha}."""

    sha: Sha
    tree: tuple[TreeItem, ...]
    truncated: bool = False


class BlobPayload(Payload):
    """GET git/blobs/{sha}; `content` is base64 with line breaks."""

    sha: Sha
    content: str
    encoding: str


class ObjectPayload(Payload):
    """A git object that was made, or that a ref points to."""

    sha: Sha


class GraphBlob(Payload):
    """A Blob of GraphQL. `text` is None for what GitHub takes for binary, and lossy for what is not UTF-8."""

    oid: Sha
    text: str | None = None
    truncated: bool | None = Field(default=None, alias="isTruncated")


class RefPayload(Payload):
    """GET git/ref/{ref}."""

    object: ObjectPayload
