"""Timings judged: a sample, or a rejection with its reason; what follows from them is in `bot.domain.decisions`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.evidence import ScheduledFile
from bot.domain.registrations import Identity, RegistrationKey


class RejectionReason(StrEnum):
    """Why a timing is not evidence."""

    TIMEOUT = "timeout"
    UNKNOWN = "unknown"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_RUN = "not_run"
    CARRIED_OVER = "carried_over"
    UNTRUSTED_RUN = "untrusted_run"  # not a configured nightly: it only reports
    TESTED_SHA_DIFFERS = "tested_sha_differs"
    HEAD_NOT_IN_BASE = "head_not_in_base"
    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"
    IMPORT_CHANGED = "import_changed"  # a file that the test imports or launches
    NO_REGISTRATION = "no_registration"  # nothing to edit
    SUITE_CHANGED = "suite_changed"
    DISABLED = "disabled"
    AMBIGUOUS_KEY = "ambiguous_key"
    OUTSIDE_WINDOW = "outside_window"
    OLDER_NIGHT = "older_night"  # a pass inside the window; the value follows from newer nights
    NOT_ASKED = "not_asked"  # the evaluation was narrowed to other registrations
    IMPLICIT = "implicit"  # scheduled without a registration of its own: nothing to edit
    BUNDLE = "bundle"  # one time for several files in one process
    AWAY_FROM_HOME = "away_from_home"  # ran on a suite that the registration allows and is not at home in
    SEVERAL_SUITES = "several_suites"  # one value stands for passes of several suites
    PATH_NOT_RELATIVE = "path_not_relative"  # an absolute path that no checkout of the log explains
    NO_OWN_CHECKOUT = "no_own_checkout"  # another repository's job that shows no checkout of this one
    SKIPPED_RUN = "skipped_run"  # a pass whose output says that nothing ran
    FALSE_PASS = "false_pass"  # a pass whose output says errors; unconfirmed
    COLLAPSED = "collapsed"  # a pass far below the key's history; unconfirmed


@dataclass(frozen=True, slots=True)
class Sample:
    """A timing accepted as evidence for its key."""

    key: RegistrationKey
    row: ScheduledFile
    elapsed_s: int  # of the passing try
    identity: Identity
    night_at: datetime | None = None  # the run's created_at
    partial: bool = False  # its (run, suite) is partial


@dataclass(frozen=True, slots=True)
class Rejection:
    """A timing, or a missing one, that is not evidence. `key` is None where no registration matches."""

    row: ScheduledFile
    reason: RejectionReason
    key: RegistrationKey | None = None
    identity: Identity | None = None
    detail: str = ""
    night_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """Everything known about one registration key inside the window, newest night first."""

    key: RegistrationKey
    samples: tuple[Sample, ...] = ()
    rejections: tuple[Rejection, ...] = ()
