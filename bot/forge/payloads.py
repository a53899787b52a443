"""The fields we read of GitHub's answers, checked at the edge. Other keys are ignored.

Models only; what the values mean is decided where they are used.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class _Payload(BaseModel):
    """Frozen; unknown keys are dropped, so that a newer GitHub does not break an older App."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class TokenPayload(_Payload):
    """POST /app/installations/{id}/access_tokens."""

    token: str
    expires_at: datetime


class UserTokenPayload(_Payload):
    """POST /login/oauth/access_token, where it worked."""

    access_token: str = Field(min_length=1, max_length=1000)


class UserPayload(_Payload):
    """An account."""

    login: str


class InstallationPayload(_Payload):
    """An installation of the App. The account may be an enterprise, which has no login."""

    id: int
    account: UserPayload | None = None
    suspended_at: datetime | None = None
    permissions: dict[str, str] = {}

    @field_validator("account", mode="before")
    @classmethod
    def _enterprise(cls, value: object) -> object:
        return value if isinstance(value, dict) and "login" in value else None


class AppPayload(_Payload):
    """GET /app. `permissions` and `events` are what the App asks for; installations may have accepted less."""

    id: int
    slug: str
    client_id: str = ""
    permissions: dict[str, str] = {}
    events: tuple[str, ...] = ()


class HookConfigPayload(_Payload):
    """GET /app/hook/config. GitHub masks the secret; it is not read."""

    url: str = ""
    content_type: str = ""
    insecure_ssl: str | float = "0"


class GraphTarget(_Payload):
    """The commit a branch points to, and GraphQL's word for one file of it."""

    oid: Sha
    file: dict[str, object] | None


class GraphBranch(_Payload):
    """A branch in GraphQL."""

    name: str
    target: GraphTarget


class GraphBeginning(_Payload):
    """A repository in GraphQL, with its default branch."""

    database_id: int = Field(alias="databaseId")
    full_name: str = Field(alias="nameWithOwner")
    private: bool = Field(alias="isPrivate")
    archived: bool = Field(alias="isArchived")
    branch: GraphBranch = Field(alias="defaultBranchRef")


class ConversionPayload(_Payload):
    """POST /app-manifests/{code}/conversions."""

    model_config = ConfigDict(hide_input_in_errors=True)

    id: int
    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    html_url: str
    client_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    client_secret: str = Field(repr=False)
    webhook_secret: str | None = Field(repr=False)
    pem: str = Field(repr=False)


class RepositoryPayload(_Payload):
    """GET /repos/{owner}/{repo}."""

    id: int
    full_name: str
    default_branch: str
    private: bool = False
    archived: bool = False


class RepositoryPage(_Payload):
    """One page of GET /installation/repositories."""

    total_count: int
    repositories: tuple[RepositoryPayload, ...]


class RunPayload(_Payload):
    """A workflow run, or one attempt of it. `path` may carry `@ref`."""

    id: int
    run_attempt: int = 1
    head_sha: Sha
    head_branch: str | None = None
    event: str
    path: str = ""
    conclusion: str | None = None
    created_at: datetime
    run_started_at: datetime | None = None
    html_url: str = ""


class RunPage(_Payload):
    """One page of workflow runs."""

    total_count: int
    workflow_runs: tuple[RunPayload, ...]


class JobPayload(_Payload):
    """A job of one attempt. Steps are only counted."""

    id: int
    name: str
    run_attempt: int = 1
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    runner_name: str | None = None
    steps: tuple[object, ...] | None = None


class JobPage(_Payload):
    """One page of jobs."""

    total_count: int
    jobs: tuple[JobPayload, ...]


class TreeItem(_Payload):
    """One entry of a git tree. `size` is a blob's, in bytes."""

    path: str
    mode: str
    type: str
    sha: Sha
    size: int | None = None


class TreePayload(_Payload):
    """GET git/trees/{sha}."""

    sha: Sha
    tree: tuple[TreeItem, ...]
    truncated: bool = False


class BlobPayload(_Payload):
    """GET git/blobs/{sha}; `content` is base64 with line breaks."""

    sha: Sha
    content: str
    encoding: str


class ObjectPayload(_Payload):
    """A git object that was made, or that a ref points to."""

    sha: Sha


class ComparePayload(_Payload):
    """GET compare/{base}...{head}: `ahead`, `identical`, `behind` or `diverged`."""

    status: str


class DivergencePayload(_Payload):
    """The same, where its commits are of interest."""

    base_commit: ObjectPayload
    merge_base_commit: ObjectPayload


class GraphBlob(_Payload):
    """A Blob of GraphQL. `text` is None for what GitHub takes for binary, and lossy for what is not UTF-8."""

    oid: Sha
    text: str | None = None
    truncated: bool | None = Field(default=None, alias="isTruncated")


class PermissionPayload(_Payload):
    """GET collaborators/{login}/permission. `permission` folds maintain into write and triage into read."""

    permission: str
    role_name: str | None = None


class DeliveryPayload(_Payload):
    """One try of one webhook delivery. `guid` is shared by a delivery and its redeliveries."""

    id: int
    guid: str
    delivered_at: datetime
    status_code: int = 0
    event: str = ""


class CommitFile(_Payload):
    """One file that a commit changes. `sha` is the blob after it."""

    filename: str
    status: str
    sha: Sha | None = None
    previous_filename: str | None = None


class CommitWords(_Payload):
    """The git part of a commit."""

    message: str


class CommitPerson(_Payload):
    """Who committed, and when."""

    date: datetime | None = None


class ListedWords(_Payload):
    """The git part of a listed commit."""

    message: str
    committer: CommitPerson | None = None


class ListedCommit(_Payload):
    """One of GET commits."""

    sha: Sha
    commit: ListedWords


class CommitList(RootModel[tuple[ListedCommit, ...]]):
    """GET commits, one page."""


class CommitDetail(_Payload):
    """GET commits/{ref}, one page of its files."""

    commit: CommitWords
    parents: tuple[ObjectPayload, ...]
    files: tuple[CommitFile, ...] = ()


class RefPayload(_Payload):
    """GET git/ref/{ref}."""

    object: ObjectPayload
