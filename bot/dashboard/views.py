"""What each page is given: values of the store, and GitHub's address for links. Nothing is read or worded here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain import Decision, Evaluation, RegistrationKey, TimeoutRule
from bot.overview import (
    EvaluationHead,
    KeptLog,
    KeyOverview,
    KeyPage,
    LastDecision,
    Listed,
    NightOverview,
    PullRequestEdits,
    Span,
)
from bot.records.publications import Publication
from bot.records.repositories import Repository, RepositoryState
from bot.records.work import TaskOutcome

NIGHTS_SHOWN = 14  # of a repository, beside one another
NIGHTS_PLOTTED = 60  # of a repository's literals
SPANS = (60, 180, 400)  # nights of a test, by choice; the first without one
OFF_SHOWN = 25
EDITS_SHOWN = 12
TESTS_SHOWN = 50
OUTCOMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RepositoryAsked:
    """Which parts of a repository's lists are asked for, as offsets, and which tests are looked for."""

    nights: int = 0
    off: int = 0
    edits: int = 0
    tests: int = 0
    find: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryView:
    """One repository. `evaluation` is the newest one's rest, `plotted` the newest nights whatever part is asked for."""

    repository: Repository
    state: RepositoryState
    server: str  # web address of GitHub
    asked: RepositoryAsked
    pulls: tuple[Publication, ...]
    nights: Listed[NightOverview]
    plotted: tuple[NightOverview, ...]
    edits: Listed[PullRequestEdits]
    tests: Listed[KeyOverview]
    outcomes: tuple[TaskOutcome, ...]
    head: EvaluationHead | None = None
    off: Listed[Decision] = field(default_factory=lambda: Listed(()))
    counts: Mapping[str, int] = field(default_factory=dict)
    evaluation: Evaluation | None = None


@dataclass(frozen=True, slots=True)
class KeyView:
    """One test: some nights of it, and the last decision about it."""

    repository: Repository
    server: str
    key: RegistrationKey
    rule: TimeoutRule
    nights: Span
    page: KeyPage
    last: LastDecision | None = None


@dataclass(frozen=True, slots=True)
class LogView:
    """The kept lines of one job's log."""

    repository: Repository
    server: str
    log: KeptLog
