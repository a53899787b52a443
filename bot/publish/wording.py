"""The sentence a person reads for each named reason: one table an enum, used by every text.

A member without a sentence is shown by its name, so that no reason is ever lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from bot.domain import (
    EditRefusal,
    Flag,
    Identity,
    ImportRefusal,
    KeepReason,
    LabelRefusal,
    LogNote,
    NotPackedReason,
    RejectionReason,
    Status,
)

_Reason = TypeVar("_Reason", bound=StrEnum)

KEEP: Mapping[KeepReason, str] = {
    KeepReason.EQUAL: "the rule gives the present value",
    KeepReason.NO_SAMPLE: "no accepted pass",
    KeepReason.CANNOT_EDIT: "measured, but the literal cannot be edited safely",
    KeepReason.TOO_FEW_SAMPLES: "measured fewer times than the estimator needs",
    KeepReason.TOO_FEW_NIGHTS: "passes in too few nights for this change",
    KeepReason.TIMEOUT_IN_WINDOW: "timed out in the window, so it is not lowered",
    KeepReason.LIMIT_BELOW_KNOWN_PASS: "the new limit would be below a known pass",
    KeepReason.HUMAN_VALUE_NEWER: "a person changed the literal after the newest measured commit",
    KeepReason.IMMATERIAL: "off, but changing it would change nothing that matters",
    KeepReason.NEEDS_PERSON: "no pass, only timeouts: the estimate needs a person",
    KeepReason.TOO_FEW_HOSTS: "passes on too few runners for a lower",
    KeepReason.LARGE_DROP: "too large a drop for so few nights; more nights or a person may make it",
    KeepReason.PARTIAL_SUITE: "a job log of the suite is lost, so it is not lowered",
    KeepReason.UNCONFIRMED: "a doubtful pass waits for a second night, so it is not lowered",
    KeepReason.DECLINED: "a person closed the pull request with this value, and the evidence has not moved since",
    KeepReason.MASS_CHANGE: "most of the suite moved together in one night: a person is asked why",
    KeepReason.OUR_LOWER_TIMED_OUT: "timed out at a limit that a merged pull request of ours had lowered",
    KeepReason.OVER_CAP: "over the cap of edits; larger changes go first",
}

REJECTION: Mapping[RejectionReason, str] = {
    RejectionReason.TIMEOUT: "timed out",
    RejectionReason.UNKNOWN: "the log does not settle whether it passed",
    RejectionReason.FAILED: "failed",
    RejectionReason.CANCELLED: "cancelled",
    RejectionReason.NOT_RUN: "scheduled, not run",
    RejectionReason.CARRIED_OVER: "job carried over from an earlier attempt, counted there",
    RejectionReason.UNTRUSTED_RUN: "the run is not a configured nightly",
    RejectionReason.TESTED_SHA_DIFFERS: "the job checked out another commit than the run's head",
    RejectionReason.HEAD_NOT_IN_BASE: "the run's head is not an ancestor of the base",
    RejectionReason.CHANGED: "the test file has changed since the run",
    RejectionReason.MOVED: "the test file has moved since the run",
    RejectionReason.MISSING: "the test file is gone at the base",
    RejectionReason.IMPORT_CHANGED: "a file that the test imports or launches is another one",
    RejectionReason.NO_REGISTRATION: "no explicit registration",
    RejectionReason.SUITE_CHANGED: "registered on another suite now",
    RejectionReason.DISABLED: "disabled at the base",
    RejectionReason.AMBIGUOUS_KEY: "two active calls for one test, backend and suite",
    RejectionReason.OUTSIDE_WINDOW: "outside the window",
    RejectionReason.OLDER_NIGHT: "newer nights of the test give the value",
    RejectionReason.NOT_ASKED: "not asked about",
    RejectionReason.IMPLICIT: "registered implicitly: nothing to edit",
    RejectionReason.BUNDLE: "one time for several files in one process",
    RejectionReason.AWAY_FROM_HOME: "ran on other hardware than its home suite",
    RejectionReason.SEVERAL_SUITES: "one value stands for several suites",
    RejectionReason.PATH_NOT_RELATIVE: "an absolute path that no checkout of the log explains",
    RejectionReason.SKIPPED_RUN: "skipped run: its output says that no test ran",
    RejectionReason.FALSE_PASS: "false pass: its output says errors; waits for a second night",
    RejectionReason.COLLAPSED: "far below the nights before it; waits for a second night",
    RejectionReason.NO_OWN_CHECKOUT: "the other repository's job shows no checkout of this one",
}

STATUS: Mapping[Status, str] = {
    Status.PASSED: "passed",
    Status.TIMEOUT: "timed out",
    Status.UNKNOWN: "unknown",
    Status.FAILED: "failed",
    Status.CANCELLED: "cancelled",
    Status.NOT_RUN: "not run",
}

FLAG: Mapping[Flag, str] = {
    Flag.PASSES_ONLY_BY_LITERAL: "Slower than the suite's base limit: passes only because its literal raises the limit",
    Flag.COMMENT_MENTIONS_SECONDS: "A comment beside the call names another number of seconds; comments are not edited",
    Flag.PARTITION_OVERLAP: "Passed in two jobs of one run; the slower pass counts",
    Flag.SINGLE_NIGHT: "Measured in one night only",
    Flag.UNCONFIRMED_PASS: "A doubtful pass was set aside and is not counted (see the passes not used)",
    Flag.OUTLIER_HOST: "One runner is far off the others, in the median of its passes",
    Flag.PROBE: "Not measured: killed at its limit every night, so a higher one is tried",
    Flag.OUR_LOWER_TIMED_OUT: "Timed out at a limit that a merged pull request of ours had lowered: back up at once",
    Flag.NO_PASS_ONLY_TIMEOUTS: "Never passed in the window, only timed out",
}

EDIT_REFUSAL: Mapping[EditRefusal, str] = {
    EditRefusal.ALIASED_IMPORT: "the function is imported under another name",
    EditRefusal.ATTRIBUTE_CALL: "called through an attribute",
    EditRefusal.NOT_TOP_LEVEL: "not a top-level statement",
    EditRefusal.STARRED_ARGUMENTS: "starred arguments",
    EditRefusal.TOO_MANY_POSITIONALS: "too many positional arguments",
    EditRefusal.DUPLICATE_ARGUMENT: "an argument is given twice",
    EditRefusal.EST_TIME_NOT_LITERAL: "est_time is computed",
    EditRefusal.EST_TIME_NOT_A_NUMBER: "est_time is not a number",
    EditRefusal.EST_TIME_NOT_POSITIVE: "est_time is not positive",
    EditRefusal.EST_TIME_MISSING: "no est_time",
    EditRefusal.SUITE_NOT_LITERAL: "suite is computed",
    EditRefusal.LABELS_NOT_A_LIST: "labels is not a list",
    EditRefusal.LABELS_NOT_LITERAL: "labels holds something computed",
    EditRefusal.NAME_DEFINED_HERE: "the file itself defines the function's name",
    EditRefusal.LABEL_WOULD_GO: "a label of the present list would be lost",
    EditRefusal.LABEL_NOT_WRITABLE: "a label that no plain string of the file can hold",
    EditRefusal.NO_LABEL_LIST: "no label list to insert into",
    EditRefusal.AMBIGUOUS_KEY: "two active calls for one test, backend and suite",
    EditRefusal.UNDECODABLE: "the file cannot be decoded",
    EditRefusal.UNKNOWN_GRAMMAR: "the file does not parse",
    EditRefusal.NOT_A_REGULAR_FILE: "a symlink or submodule",
    EditRefusal.FILE_TOO_LARGE: "the file is too large",
    EditRefusal.EDIT_CHECK_FAILED: "the edit could not be proved to change the literal alone",
    EditRefusal.MEASURED_AS_BUNDLE: "measured as a bundle: its file has no time of its own",
    EditRefusal.TEST_FILE_GONE: "the test file is gone",
    EditRefusal.SECTION_MISSING: "the configured part of the file is not there",
    EditRefusal.PROTECTED_PATH: "below .github, which is never written",
}

LABEL_REFUSAL: Mapping[LabelRefusal, str] = {
    LabelRefusal.UNKNOWN_LABEL: "the rule names a label that the registry does not have",
    LabelRefusal.NO_REGISTRY: "the label registry could not be read",
    LabelRefusal.CANNOT_EDIT: "the label list cannot be edited safely",
    LabelRefusal.OVER_CAP: "over the cap of edits; larger changes go first",
}

IDENTITY: Mapping[Identity, str] = {
    Identity.IDENTICAL: "byte-identical",
    Identity.REGISTRATION_ONLY: "differs in registration literals only",
    Identity.CHANGED: "changed",
    Identity.MOVED: "moved",
    Identity.MISSING: "missing",
    Identity.IMPORT_CHANGED: "same file, another import",
}

IMPORT_REFUSAL: Mapping[ImportRefusal, str] = {
    ImportRefusal.NOT_PYTHON: "not Python: what it launches is not read",
    ImportRefusal.NOT_A_REGULAR_FILE: "a symlink or submodule: what is behind it is not compared",
    ImportRefusal.FILE_TOO_LARGE: "too large to be read further",
    ImportRefusal.UNDECODABLE: "cannot be decoded, so it is not read further",
    ImportRefusal.UNKNOWN_GRAMMAR: "does not parse, so it is not read further",
    ImportRefusal.TOO_MANY: "names more than is followed",
    ImportRefusal.LEAVES_REPOSITORY: "names something above the repository's root",
}

NOT_PACKED: Mapping[NotPackedReason, str] = {
    NotPackedReason.PLAN_MISSING: "no run of the window shows the plan of every rank",
    NotPackedReason.NOTHING_MEASURED: "none of its files was measured",
}

LOG_NOTE: Mapping[LogNote, str] = {
    LogNote.PLANS_DIFFER: "listed plan and executed plan differ; the executed one counts",
    LogNote.NO_TESTS: "the suite scheduled nothing",
    LogNote.NO_PLAN: "the log ends before a plan",
    LogNote.NO_PER_FILE_TIMING: "files ran in one session, without a time for each",
    LogNote.NO_SUMMARY: "the log has no final summary",
    LogNote.TOO_MANY_RECORDS: "more records than a suite can have; its summary is not believed",
    LogNote.PLAN_SHORT: "the plan lists fewer files than it counts",
    LogNote.BLOCK_UNREADABLE: "markers of a timing block without a block that can be read; nothing else is used",
    LogNote.NO_BLOCK: "the log ends before its timing block",
}


def words(table: Mapping[_Reason, str], member: _Reason) -> str:
    """The member's sentence, without a full stop; its name where there is none."""
    return table.get(member) or member.value.replace("_", " ")
