"""What the steps of a task work with: GitHub, the store, processes for costly work, a place for logs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.domain import RepositoryId, TaskKind, TaskRequest
from bot.store.open import Store
from bot.tasks.outcomes import OutcomeName
from bot.tasks.ports import Deliveries, Forge, Installed
from bot.tasks.stepping import PATIENT

MAX_LOGS_AT_ONCE = 8
SWEEP_MINUTES = 60


@dataclass(frozen=True, slots=True)
class SweepWork:
    """What a sweep works with besides: GitHub's deliveries, the queue, and when a lost repository is forgotten."""

    deliveries: Deliveries
    enqueue: Callable[[TaskRequest], Awaitable[None]]
    forget_tasks: Callable[[RepositoryId], Awaitable[int]]
    forget_days: int = 30
    every_minutes: int = SWEEP_MINUTES  # from one sweep to the next


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long in days deliveries, outcomes and ended tasks are kept, and what deletes the tasks' rows."""

    days: int
    trim: Callable[[datetime], Awaitable[int]]


def uncounted(_kind: TaskKind, _how: OutcomeName) -> None:
    """Nobody counts how tasks end."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Built once by the composition root. `executor` runs pure, costly functions in other processes."""

    forge: Callable[[TaskRequest], Forge]
    installed: Installed
    store: Store
    executor: Executor
    now: Callable[[], datetime]
    log_root: Path
    empty_log_wait_s: float = PATIENT.empty_log_s
    sweeping: SweepWork | None = None  # None: a command, which sweeps nothing
    keeping: Keeping | None = None  # None: a command, which deletes nothing
    ended: Callable[[TaskKind, OutcomeName], None] = uncounted  # told how each task ends
