"""Records of runs and what they measured, and which of them to read; what is made of them is in `bot.domain`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.domain import Backend, BlobSha, CommitSha, Registration, ScheduledFile, Suite, TestPath


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs to list: completed ones created since a moment, of one workflow (a file name or path; "": any)."""

    workflow: str
    event: str
    branch: str
    since: datetime


@dataclass(frozen=True, slots=True)
class NightWindow:
    """Which stored nights to read: the newest `nights` run ids, all their attempts.

    A run counts when it is trusted, scheduled files in any attempt or lost a log that may have said so,
    and was created in `since` .. `until` (both inclusive, None: no bound). `workflows` names workflow
    files; empty: any.
    """

    nights: int
    since: datetime | None = None
    until: datetime | None = None
    workflows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownTiming:
    """One stored row of evidence with the facts that came later."""

    row: ScheduledFile
    night_at: datetime | None
    carried_over: bool
    blob_at_head: BlobSha | None = None


@dataclass(frozen=True, slots=True)
class MeasuredPass:
    """One pass of a night, as a backtest reads it."""

    night_at: datetime
    suite: Suite
    backend: Backend
    path: TestPath
    elapsed_s: int


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What came after a timing was read: its file's blob at the head, and why it was not used.

    `reason` is "" where it was used, or nobody has asked yet.
    """

    blob_at_head: BlobSha | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeenRegistration:
    """One registration as it was written, from the first commit it was seen at to the last."""

    registration: Registration
    first_commit: CommitSha
    first_seen_at: datetime
    last_commit: CommitSha
    last_seen_at: datetime
