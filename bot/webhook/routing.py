"""What a verified delivery asks for: a task request, or nothing with the reason. Pure.

What cannot matter is dropped here, before it costs a task: other actions, other events, forks,
branches and workflows that are not a nightly by the repository's stored configuration. For a
repository never seen, only event `schedule` on the payload's default branch passes.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ValidationError

from bot.domain import NightlyFilter, RepositoryId, RunId, TaskKind, TaskRequest
from bot.webhook.payloads import InstallationEvent, WorkflowRunEvent
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


RoutingVerdict = TaskRequest | DropReason | DeliveryRefusal

INSTALLATION_ACTIONS = frozenset(
    {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted", "added", "removed"}
)


def repository_id(delivery: Delivery) -> int | None:
    """The repository a delivery names, None where it names none; for looking up its stored filter."""
    repository = delivery.payload.get("repository")
    number = repository.get("id") if isinstance(repository, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**63 else None


def route(delivery: Delivery, stored: NightlyFilter | None) -> RoutingVerdict:
    """Turn a delivery into a task request. `stored` is the repository's filter, None while unknown."""
    try:
        if delivery.event == "workflow_run":
            return _workflow_run(WorkflowRunEvent.model_validate(delivery.payload), delivery.guid, stored)
        if delivery.event in ("installation", "installation_repositories"):
            return _installation(InstallationEvent.model_validate(delivery.payload), delivery.guid)
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


def _installation(event: InstallationEvent, guid: str) -> RoutingVerdict:
    if event.action not in INSTALLATION_ACTIONS:
        return DropReason.UNKNOWN_ACTION
    return TaskRequest(kind=TaskKind.INSTALLATION, installation_id=event.installation.id, delivery=guid)
