"""The few fields of GitHub's webhook payloads that are read. Everything else is ignored.

Field meanings: https://docs.github.com/webhooks/webhook-events-and-payloads (read 2026-11).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Identifier = Annotated[int, Field(ge=1, le=2**63 - 1)]
FullName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Text = Annotated[str, StringConstraints(max_length=1024)]


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class InstallationId(_Payload):
    """The installation a delivery belongs to."""

    id: Identifier


class Repository(_Payload):
    """The repository a delivery is about."""

    id: Identifier
    full_name: FullName
    default_branch: Text = ""
    archived: bool = False
    private: bool = False


class HeadRepository(_Payload):
    """Where a run's head commit lives; another repository for a fork's pull request."""

    id: Identifier


class WorkflowRun(_Payload):
    """One attempt of a workflow run. `path` may carry `@ref` for a reusable or required workflow."""

    id: Identifier
    run_attempt: Annotated[int, Field(ge=1, le=100_000)]
    event: Text
    head_branch: Text | None = None
    head_sha: Sha
    path: Text
    head_repository: HeadRepository | None = None


class WorkflowRunEvent(_Payload):
    """`workflow_run`, any action."""

    action: Text
    workflow_run: WorkflowRun
    repository: Repository
    installation: InstallationId | None = None


class CommentAuthor(_Payload):
    """Who made a comment. `type` is `User`, `Bot` or `Organization`."""

    login: Text
    type: Text = ""


class AnyApp(_Payload):
    """The App through which something was done."""

    id: Identifier | None = None


class Comment(_Payload):
    """A comment on an issue or a pull request. `user` is None for an account that was deleted."""

    id: Identifier
    body: str = ""
    user: CommentAuthor | None = None
    performed_via_github_app: AnyApp | None = None


class PullLink(_Payload):
    """Present where an issue is a pull request; its addresses are not read."""


class Issue(_Payload):
    """The issue, or the pull request, that was commented on."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    pull_request: PullLink | None = None


class IssueCommentEvent(_Payload):
    """`issue_comment`, any action."""

    action: Text
    issue: Issue
    comment: Comment
    repository: Repository
    installation: InstallationId | None = None


class PullSide(_Payload):
    """Head or base of a pull request. `repo` is None where a fork was deleted."""

    ref: Text
    sha: Sha
    repo: HeadRepository | None = None


class PullRequest(_Payload):
    """A pull request as its events show it."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    head: PullSide
    base: PullSide


class PullRequestChanges(_Payload):
    """What an edit changed; `base` is there where the base branch did."""

    base: object = None


class PullRequestEvent(_Payload):
    """`pull_request`, any action."""

    action: Text
    pull_request: PullRequest
    repository: Repository
    changes: PullRequestChanges | None = None
    installation: InstallationId | None = None


class CheckRun(_Payload):
    """A check run, of any App."""

    external_id: Text | None = None
    head_sha: Sha
    app: AnyApp | None = None


class CheckSuite(_Payload):
    """All check runs of one App on one commit."""

    head_sha: Sha
    app: AnyApp | None = None


class CheckSuiteEvent(_Payload):
    """`check_suite`, any action."""

    action: Text
    check_suite: CheckSuite
    repository: Repository
    sender: CommentAuthor | None = None
    installation: InstallationId | None = None


class RequestedAction(_Payload):
    """The button that was pressed."""

    identifier: Text


class CheckRunEvent(_Payload):
    """`check_run`, any action."""

    action: Text
    check_run: CheckRun
    repository: Repository
    sender: CommentAuthor | None = None
    requested_action: RequestedAction | None = None
    installation: InstallationId | None = None


class Account(_Payload):
    """The owner of an installation."""

    id: Identifier
    login: Text


class Installation(_Payload):
    """An installation of the App."""

    id: Identifier
    account: Account


class InstallationEvent(_Payload):
    """`installation` and `installation_repositories`, any action."""

    action: Text
    installation: Installation
