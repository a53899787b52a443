"""The port for check runs and their annotations; what they say is decided elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

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


class CheckRuns(Protocol):
    """Check runs of our App."""

    def put(self, report: CheckReport) -> CheckState:
        """Make the check run, or finish one of the same identity; a finished one is left alone.

        Annotations go in batches of at most 50; the conclusion goes with the last one.
        """
        ...
