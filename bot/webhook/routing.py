"""What a verified delivery asks for: a task request, or nothing with the reason. Pure.

What cannot matter is dropped here, before it costs a task: other actions, other events, forks,
branches and workflows that are not a nightly by the repository's stored configuration. For a
repository never seen, only event `schedule` on the payload's default branch passes.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ValidationError

from bot.commands.grammar import beginning, parse
from bot.domain import (
    CheckAction,
    NightlyFilter,
    PersonsComment,
    RepositoryId,
    RunId,
    TaskKind,
    TaskRequest,
)
from bot.publish.check_names import about
from bot.webhook.payloads import (
    CheckRunEvent,
    CheckSuiteEvent,
    InstallationEvent,
    IssueCommentEvent,
    PullRequestEvent,
    WorkflowRunEvent,
)
from bot.webhook.verify import Delivery, DeliveryRefusal


class DropReason(StrEnum):
    """Why a delivery becomes no task."""

    UNKNOWN_EVENT = "unknown_event"
    UNKNOWN_ACTION = "unknown_action"
    NO_INSTALLATION = "no_installation"  # a repository webhook, not the App's
    ARCHIVED = "archived"
    FORK = "fork"
    OTHER_EVENT = "other_event"
    OTHER_BRANCH = "other_branch"
    OTHER_WORKFLOW = "other_workflow"
    NO_COMMAND = "no_command"  # a comment that does not speak to us
    BY_A_PROGRAM = "by_a_program"  # a bot's comment, or one made through an App: only persons command
    OTHER_APP = "other_app"  # a check run of another App
    OTHER_CHECK = "other_check"  # a check run whose external id says nothing to us


RoutingVerdict = TaskRequest | DropReason | DeliveryRefusal

EVENTS = frozenset(  # that may become a task; docs.github.com/webhooks/webhook-events-and-payloads
    {
        "workflow_run",
        "pull_request",
        "check_run",
        "check_suite",  # comes by itself to every App that may write check runs
        "issue_comment",
        "installation",
        "installation_repositories",
    }
)
PULL_REQUEST_ACTIONS = frozenset({"opened", "synchronize", "reopened"})
INSTALLATION_ACTIONS = frozenset(
    {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted", "added", "removed"}
)


def repository_id(delivery: Delivery) -> int | None:
    """The repository a delivery names, None where it names none; for looking up its stored filter."""
    repository = delivery.payload.get("repository")
    number = repository.get("id") if isinstance(repository, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**63 else None


def repository_name(delivery: Delivery) -> str:
    """What a delivery calls its repository, "" where it names none; for a log line."""
    repository = delivery.payload.get("repository")
    name = repository.get("full_name") if isinstance(repository, dict) else None
    return name[:200] if isinstance(name, str) else ""


def route(delivery: Delivery, stored: NightlyFilter | None, app_id: int = 0) -> RoutingVerdict:
    """Turn a delivery into a task request.

    `stored` is the repository's filter, None while unknown; `app_id` is ours.
    """
    try:
        if delivery.event == "workflow_run":
            return _workflow_run(WorkflowRunEvent.model_validate(delivery.payload), delivery.guid, stored)
        if delivery.event in ("installation", "installation_repositories"):
            return _installation(InstallationEvent.model_validate(delivery.payload), delivery.guid)
        if delivery.event == "issue_comment":
            return _comment(IssueCommentEvent.model_validate(delivery.payload), delivery.guid)
        if delivery.event == "pull_request":
            return _pull_request(PullRequestEvent.model_validate(delivery.payload), delivery.guid)
        if delivery.event == "check_run":
            return _check_run(CheckRunEvent.model_validate(delivery.payload), delivery.guid, app_id)
        if delivery.event == "check_suite":
            return _check_suite(CheckSuiteEvent.model_validate(delivery.payload), delivery.guid, app_id)
    except ValidationError:
        return DeliveryRefusal.BAD_PAYLOAD
    return DropReason.UNKNOWN_EVENT


def _workflow_run(event: WorkflowRunEvent, guid: str, stored: NightlyFilter | None) -> RoutingVerdict:
    run, repository = event.workflow_run, event.repository
    if event.action != "completed":
        return DropReason.UNKNOWN_ACTION
    if event.installation is None:
        return DropReason.NO_INSTALLATION
    if repository.archived:
        return DropReason.ARCHIVED
    if run.head_repository is None or run.head_repository.id != repository.id:
        return DropReason.FORK
    nightly = stored or NightlyFilter((), ("schedule",), ())
    if run.event not in nightly.events:
        return DropReason.OTHER_EVENT
    if run.head_branch not in (nightly.branches or (repository.default_branch,)):
        return DropReason.OTHER_BRANCH
    if nightly.workflows and run.path.partition("@")[0] not in nightly.workflows:
        return DropReason.OTHER_WORKFLOW
    return TaskRequest(
        kind=TaskKind.NIGHTLY,
        installation_id=event.installation.id,
        repository_id=RepositoryId(repository.id),
        repository=repository.full_name,
        run_id=RunId(run.id),
        attempt=run.run_attempt,
        delivery=guid,
    )


def _comment(event: IssueCommentEvent, guid: str) -> RoutingVerdict:
    """A new comment by a person that speaks to us, well or with a mistake; the task answers both."""
    comment, repository = event.comment, event.repository
    if event.action != "created":
        return DropReason.UNKNOWN_ACTION
    if event.installation is None:
        return DropReason.NO_INSTALLATION
    if comment.user is None or comment.user.type != "User" or comment.performed_via_github_app is not None:
        return DropReason.BY_A_PROGRAM
    if parse(comment.body) is None:
        return DropReason.NO_COMMAND
    if repository.archived:
        return DropReason.ARCHIVED
    return TaskRequest(
        kind=TaskKind.COMMAND,
        installation_id=event.installation.id,
        repository_id=RepositoryId(repository.id),
        repository=repository.full_name,
        delivery=guid,
        number=event.issue.number,
        actor=comment.user.login,
        comment=PersonsComment(comment.id, beginning(comment.body), event.issue.pull_request is not None),
    )


def _pull_request(event: PullRequestEvent, guid: str) -> RoutingVerdict:
    """Every new head, and every new base of one. A fork's head is checked as any other."""
    pull, repository = event.pull_request, event.repository
    new_base = event.action == "edited" and event.changes is not None and event.changes.base is not None
    if event.action not in PULL_REQUEST_ACTIONS and not new_base:
        return DropReason.UNKNOWN_ACTION
    if event.installation is None:
        return DropReason.NO_INSTALLATION
    if repository.archived:
        return DropReason.ARCHIVED
    return TaskRequest(
        kind=TaskKind.PULL_REQUEST,
        installation_id=event.installation.id,
        repository_id=RepositoryId(repository.id),
        repository=repository.full_name,
        delivery=guid,
        number=pull.number,
        head_sha=pull.head.sha,
        base=pull.base.ref,
        action=event.action,
    )


def _check_run(event: CheckRunEvent, guid: str, app_id: int) -> RoutingVerdict:
    """A press of a button of ours, or GitHub's own "Re-run", by a person."""
    check, repository, sender = event.check_run, event.repository, event.sender
    asked = _asked(event)
    if asked is None:
        return DropReason.UNKNOWN_ACTION
    if event.installation is None:
        return DropReason.NO_INSTALLATION
    if check.app is None or check.app.id != app_id:
        return DropReason.OTHER_APP
    subject = about(check.external_id or "")
    if subject is None or (subject.number and asked is not CheckAction.REEVALUATE):
        return DropReason.OTHER_CHECK
    if sender is None or sender.type != "User":
        return DropReason.BY_A_PROGRAM
    if repository.archived:
        return DropReason.ARCHIVED
    return TaskRequest(
        kind=TaskKind.CHECK_ACTION,
        installation_id=event.installation.id,
        repository_id=RepositoryId(repository.id),
        repository=repository.full_name,
        run_id=RunId(subject.run_id),
        attempt=subject.attempt,
        delivery=guid,
        number=subject.number,
        head_sha=check.head_sha,
        base=subject.base,
        action=asked,
        actor=sender.login,
    )


def _check_suite(event: CheckSuiteEvent, guid: str, app_id: int) -> RoutingVerdict:
    """GitHub's own "Re-run all checks", by a person: every check run of ours on the commit is asked for again."""
    suite, repository, sender = event.check_suite, event.repository, event.sender
    if event.action != "rerequested":
        return DropReason.UNKNOWN_ACTION
    if event.installation is None:
        return DropReason.NO_INSTALLATION
    if suite.app is None or suite.app.id != app_id:
        return DropReason.OTHER_APP
    if sender is None or sender.type != "User":
        return DropReason.BY_A_PROGRAM
    if repository.archived:
        return DropReason.ARCHIVED
    return TaskRequest(
        kind=TaskKind.CHECK_ACTION,
        installation_id=event.installation.id,
        repository_id=RepositoryId(repository.id),
        repository=repository.full_name,
        delivery=guid,
        head_sha=suite.head_sha,
        action=CheckAction.REEVALUATE,
        actor=sender.login,
    )


def _asked(event: CheckRunEvent) -> CheckAction | None:
    """What is asked of a check run; None for what GitHub only tells."""
    if event.action == "rerequested":
        return CheckAction.REEVALUATE
    if event.action != "requested_action" or event.requested_action is None:
        return None
    known = {action.value: action for action in CheckAction}
    return known.get(event.requested_action.identifier)


def _installation(event: InstallationEvent, guid: str) -> RoutingVerdict:
    if event.action not in INSTALLATION_ACTIONS:
        return DropReason.UNKNOWN_ACTION
    return TaskRequest(kind=TaskKind.INSTALLATION, installation_id=event.installation.id, delivery=guid)
