"""Pairs timings with registrations: every row becomes a sample, or a rejection with its reason. Pure.

The first reason that applies is given, in this order: carried over; the run (untrusted, head not in
the base); the tested commit; the file's status; the registration (ambiguous, disabled, registered
for another suite, none); the file's identity. What may not count at all comes before what
happened, so that a timeout of a pull request's run, or of a copied job, binds nothing. Which
samples lie in the window, and what follows from them, is the calibration stage's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from bot.domain import (
    CommitSha,
    Identity,
    IdentityCheck,
    JobEvidence,
    RegistrationKey,
    Rejection,
    RejectionReason,
    Run,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
)
from bot.evidence.registry import Registry

Judged = Sample | Rejection

_BY_STATUS: Mapping[Status, RejectionReason] = {
    Status.TIMEOUT: RejectionReason.TIMEOUT,
    Status.UNKNOWN: RejectionReason.UNKNOWN,
    Status.FAILED: RejectionReason.FAILED,
    Status.CANCELLED: RejectionReason.CANCELLED,
    Status.NOT_RUN: RejectionReason.NOT_RUN,
}
_BY_IDENTITY: Mapping[Identity, RejectionReason] = {
    Identity.CHANGED: RejectionReason.CHANGED,
    Identity.MOVED: RejectionReason.MOVED,
    Identity.MISSING: RejectionReason.MISSING,
    Identity.IMPORT_CHANGED: RejectionReason.IMPORT_CHANGED,
}
_DIFFERENCES_NAMED = 3


@dataclass(frozen=True, slots=True)
class Base:
    """What evidence is held against: the commit whose literals may be changed.

    `identity` holds the verdict for (path, head SHA); a pair without one counts as `missing`.
    `heads` are the head SHAs that are the base or its ancestors.
    """

    registry: Registry
    identity: Mapping[tuple[TestPath, CommitSha], IdentityCheck]
    heads: Set[CommitSha]


def judge(runs: Iterable[RunEvidence], base: Base) -> tuple[Judged, ...]:
    """Every row of the given attempts as a sample or a rejection, in row order.

    Carried-over jobs must have been marked (`bot.evidence.carried`).
    """
    held = tuple(runs)
    partial = frozenset((one.run.run_id, suite) for one in held for suite in one.partial)
    return tuple(_judged(row, one.run, job, base, partial) for one in held for job in one.jobs for row in job.rows)


def key_of(row: ScheduledFile) -> RegistrationKey:
    """The registration key that a row measures."""
    return RegistrationKey(row.path, row.backend, row.suite)


def pairs_to_check(runs: Iterable[RunEvidence], known: Registry) -> tuple[tuple[TestPath, CommitSha], ...]:
    """The (path, head SHA) pairs whose identity `judge` will ask for: rows with an active registration."""
    rows = (row for one in runs for row in one.rows if row.head_sha and key_of(row) in known.active)
    return tuple(sorted({(row.path, row.head_sha) for row in rows}))


def _judged(
    row: ScheduledFile, run: Run, job: JobEvidence, base: Base, partial: frozenset[tuple[RunId, Suite]]
) -> Judged:
    key = key_of(row)
    check = base.identity.get((row.path, row.head_sha))
    identity = check.verdict if check else None
    reason, detail = _reason(row, run, job, base, check)
    if reason is None and identity is not None and row.elapsed_s is not None:
        is_partial = (run.run_id, row.suite) in partial
        return Sample(key, row, row.elapsed_s, identity, run.created_at, is_partial)
    return Rejection(
        row=row,
        reason=reason or RejectionReason.MISSING,
        key=base.registry.nearest(key),
        identity=identity,
        detail=detail,
        night_at=run.created_at,
    )


def _reason(
    row: ScheduledFile, run: Run, job: JobEvidence, base: Base, check: IdentityCheck | None
) -> tuple[RejectionReason | None, str]:
    """Why a row is not evidence and what shows it; (None, "") where it is."""
    if job.carried_from is not None:
        return RejectionReason.CARRIED_OVER, f"counted with job {job.carried_from}"
    if not run.trusted:
        return RejectionReason.UNTRUSTED_RUN, run.event
    if run.measures and not row.head_sha:
        return RejectionReason.NO_OWN_CHECKOUT, run.repository
    if row.head_sha not in base.heads:
        return RejectionReason.HEAD_NOT_IN_BASE, row.head_sha
    if not run.measures and job.tested_sha is not None and job.tested_sha != run.head_sha:
        return RejectionReason.TESTED_SHA_DIFFERS, job.tested_sha
    if row.status is not Status.PASSED:
        return _BY_STATUS[row.status], row.note
    refusal = base.registry.refusal(key_of(row))
    if refusal is RejectionReason.NO_REGISTRATION:
        return _unregistered(row), ""
    if refusal is not None:
        return refusal, ""
    return (_BY_IDENTITY.get(check.verdict), _named(check)) if check else (RejectionReason.MISSING, "")


def _named(check: IdentityCheck) -> str:
    """The first files that differ, and how."""
    left_out = len(check.imports) - _DIFFERENCES_NAMED
    more = f"; and {left_out} more" if left_out > 0 else ""
    return "; ".join(map(str, check.imports[:_DIFFERENCES_NAMED])) + more


def _unregistered(row: ScheduledFile) -> RejectionReason:
    """Why a row has no registration, as far as the row itself tells it.

    `group:<name>` is what sgl-project/sglang calls files that ran in one process.
    """
    if row.implicit:
        return RejectionReason.IMPLICIT
    if row.path.startswith("group:"):
        return RejectionReason.BUNDLE
    return RejectionReason.PATH_NOT_RELATIVE if row.path.startswith("/") else RejectionReason.NO_REGISTRATION
