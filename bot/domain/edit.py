"""Planned changes of literals and labels, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import BlobSha, TestPath
from bot.domain.registrations import EditRefusal, Registration, RegistrationKey


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Labels to insert into one registration's literal list, with the rule that asks for them."""

    registration: Registration
    add: tuple[str, ...]
    after: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class LabelSuggestion:
    """A test whose siblings all carry labels it lacks. Named in the report, never edited."""

    registration: Registration
    missing: tuple[str, ...]
    siblings: tuple[TestPath, ...]


class LabelRefusal(StrEnum):
    """Why a label rule was not carried out for a call."""

    UNKNOWN_LABEL = "unknown_label"  # not in the label registry
    NO_REGISTRY = "no_registry"
    CANNOT_EDIT = "cannot_edit"
    OVER_CAP = "over_cap"  # pull_request.max_edits: larger changes go first


@dataclass(frozen=True, slots=True)
class RefusedLabels:
    """A label rule that applies to a call and cannot be carried out."""

    registration: Registration
    reason: LabelRefusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LabelSelection:
    """The tests that one inserted label newly selects.

    `added_s` is their sum in seconds: the slowest accepted pass of each, or its estimate where it has none.
    """

    label: str
    keys: tuple[RegistrationKey, ...]
    added_s: float


@dataclass(frozen=True, slots=True)
class LiteralChange:
    """What to write into one call: a new est_time, a new label list, or both (None: leave)."""

    path: TestPath
    blob: BlobSha
    index: int
    est_time: int | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file before and after, proved to differ in the planned literals only."""

    path: TestPath
    before: bytes
    after: bytes
    changes: tuple[LiteralChange, ...]
    mode: str = "100644"  # git's, kept as it is at the base


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """A planned change that was not carried out."""

    change: LiteralChange
    reason: EditRefusal
    detail: str = ""
