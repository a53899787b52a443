"""Records of the work: the processes that do it, tasks that ended, tasks that wait. The steps are in `bot.tasks`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest


class ProcessRole(StrEnum):
    """What one process of the service does."""

    ALL = "all"
    WEB = "web"  # receives and enqueues
    WORKER = "worker"  # works on tasks and watches over the others


@dataclass(frozen=True, slots=True)
class Host:
    """One process of the service. `beats` rises while it lives; `version` is that of the steps it takes."""

    executor_id: str
    role: ProcessRole
    version: str
    beats: int = 0
    beat_at: datetime | None = None  # by its own clock; for a person to read

    @property
    def works(self) -> bool:
        """True where it works on tasks."""
        return self.role is not ProcessRole.WEB


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """How a task ended. `name` is an enum member's value; `detail` one sentence for a person."""

    task_id: str
    repository_id: RepositoryId
    kind: TaskKind
    name: str
    ended_at: datetime
    run_id: RunId | None = None
    attempt: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Parked:
    """A task that still owes a step, which failed in a passing way for too long.

    `request` is its next take. `due_at` None: that one was asked for and has not ended.
    """

    key: str
    repository_id: RepositoryId
    request: TaskRequest
    owed: str
    due_at: datetime | None
