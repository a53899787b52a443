"""Check runs and their annotations, as values; what they say is decided elsewhere. `bot.tasks.ports` has the port."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain import CommitSha


class AnnotationLevel(StrEnum):
    """GitHub's three levels."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message on a line of a file at the check run's commit."""

    path: str
    line: int
    level: AnnotationLevel
    title: str
    message: str


class CheckConclusion(StrEnum):
    """How a check run ends."""

    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckButton:
    """A button of a check run: at most 20, 40 and 20 characters. A press comes back with the identifier."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A whole check run. `identity` names this very content: equal identity, equal check run."""

    name: str
    head_sha: CommitSha
    identity: str
    conclusion: CheckConclusion
    title: str
    summary: str  # Markdown, at most 65,535 bytes
    text: str = ""  # Markdown, at most 65,535 bytes
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""
    buttons: tuple[CheckButton, ...] = ()  # at most three


@dataclass(frozen=True, slots=True)
class CheckState:
    """A check run as it is now. `annotations` counts those GitHub has."""

    check_id: int
    identity: str
    completed: bool
    annotations: int
    url: str
