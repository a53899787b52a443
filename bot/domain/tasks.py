"""The durable unit of work that is asked for, and who asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import RepositoryId, RunId


class TaskKind(StrEnum):
    """What a task is about."""

    NIGHTLY = "nightly"
    INSTALLATION = "installation"
    PULL_REQUEST = "pull_request"  # a pull request's registrations are compared with the measurements
    COMMAND = "command"  # a person's comment
    CHECK_ACTION = "check_action"  # a person pressed a button of a check run of ours, or asked for it again
    RETENTION = "retention"  # what was kept for long enough is deleted; `delivery` names the day
    SWEEP = "sweep"  # what never arrived is looked for, and what has gone quiet is said; `delivery` names the hour


class CheckAction(StrEnum):
    """What a person may ask of a check run of ours. A button's identifier has at most 20 characters."""

    REEVALUATE = "re_evaluate"
    OPEN_PULL_REQUEST = "open_pull_request"


@dataclass(frozen=True, slots=True)
class PersonsComment:
    """A comment that speaks to us. `text` is its beginning; `on_pull` False: it stands on a plain issue."""

    comment_id: int
    text: str
    on_pull: bool


@dataclass(frozen=True, slots=True)
class HostRepository:
    """The repository in which a run took place that measures another one; the App is installed on both."""

    installation_id: int
    repository_id: RepositoryId
    repository: str  # owner/name when asked; the id is what counts


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """One durable unit of work asked for. Equal keys are the same work, however often asked."""

    kind: TaskKind
    installation_id: int
    repository_id: RepositoryId = RepositoryId(0)
    repository: str = ""  # owner/name when asked; the id is what counts
    run_id: RunId = RunId(0)
    attempt: int = 0
    delivery: str = ""
    number: int = 0  # of the pull request, or for a comment perhaps the issue, that it is about
    head_sha: str = ""  # that pull request's head
    base: str = ""  # and the branch it is to be merged into
    action: str = ""  # what was done: the event's action, or a `CheckAction`
    actor: str = ""  # login of the person who asked; their permission is looked up when it is carried out
    comment: PersonsComment | None = None
    host: HostRepository | None = None  # where the run took place, where that is another repository
    again: int = 0  # how often it was parked and taken up again

    @property
    def key(self) -> str:
        """The identity of the work: (repository id, run id, attempt) for a nightly.

        For a pull request its head; one that was opened again, or got another base, is new work.
        For a command its comment.
        """
        if self.comment is not None:
            return f"{self.kind}:{self.repository_id}:{self.comment.comment_id}"
        if self.kind is TaskKind.NIGHTLY:
            return f"nightly:{self.repository_id}:{self.run_id}:{self.attempt}"
        if self.kind is TaskKind.PULL_REQUEST:
            again = f":{self.delivery}" if self.action in ("edited", "reopened") else ""
            return f"pull_request:{self.repository_id}:{self.number}:{self.head_sha}{again}"
        return f"{self.kind}:{self.installation_id}:{self.delivery}"

    @property
    def whole_suite(self) -> bool:
        """True where all check runs of ours on one commit are asked for again, whatever they are about."""
        return self.kind is TaskKind.CHECK_ACTION and not self.run_id and not self.number

    @property
    def take_id(self) -> str:
        """The key of the work, and which take of it this is: what was parked is asked for anew."""
        return f"{self.key}:again{self.again}" if self.again else self.key

    @property
    def lane(self) -> str:
        """Tasks of one lane run one at a time: those of one repository, or of one installation.

        Check runs of pull requests have a lane of their own: they must not wait for a nightly's logs.
        """
        if self.kind in (TaskKind.PULL_REQUEST, TaskKind.CHECK_ACTION) and not self.run_id:
            return f"pull_requests:{self.repository_id}"
        return f"repository:{self.repository_id}" if self.repository_id else f"installation:{self.installation_id}"


@dataclass(frozen=True, slots=True)
class NightlyFilter:
    """Which runs of a repository are nightlies. `workflows` empty: any."""

    workflows: tuple[str, ...]
    events: tuple[str, ...]
    branches: tuple[str, ...]
