"""Samples and rejections as table rows and back. No queries here; the timing they are about is its own row."""

from __future__ import annotations

from bot.domain import (
    Identity,
    RegistrationKey,
    Rejection,
    RejectionReason,
    Sample,
    ScheduledFile,
)
from bot.store.rows import Row, Stored


def _timing(row: ScheduledFile) -> Row:
    return {"run_id": row.run_id, "attempt": row.attempt, "job_id": row.job_id, "plan_index": row.plan_index}


def _key(key: RegistrationKey | None) -> Row:
    if key is None:
        return {"path": None, "backend": None, "suite": None}
    return {"path": key.path, "backend": key.backend, "suite": key.suite}


def sample_row(position: int, sample: Sample) -> Row:
    """A row of `samples`, without the evaluation it belongs to."""
    return {
        **_timing(sample.row),
        **_key(sample.key),
        "position": position,
        "elapsed_s": sample.elapsed_s,
        "identity": sample.identity.value,
        "night_at": sample.night_at,
        "partial": sample.partial,
    }


def sample_value(row: Stored, timing: ScheduledFile) -> Sample:
    """The sample of a row."""
    return Sample(
        key=RegistrationKey(row["path"], row["backend"], row["suite"]),
        row=timing,
        elapsed_s=row["elapsed_s"],
        identity=Identity(row["identity"]),
        night_at=row["night_at"],
        partial=row["partial"],
    )


def rejection_row(position: int, rejection: Rejection) -> Row:
    """A row of `rejections`, without the evaluation it belongs to."""
    return {
        **_timing(rejection.row),
        **_key(rejection.key),
        "position": position,
        "reason": rejection.reason.value,
        "identity": rejection.identity.value if rejection.identity else None,
        "detail": rejection.detail,
        "night_at": rejection.night_at,
    }


def rejection_value(row: Stored, timing: ScheduledFile) -> Rejection:
    """The rejection of a row."""
    key = None if row["path"] is None else RegistrationKey(row["path"], row["backend"], row["suite"])
    return Rejection(
        row=timing,
        reason=RejectionReason(row["reason"]),
        key=key,
        identity=Identity(row["identity"]) if row["identity"] else None,
        detail=row["detail"],
        night_at=row["night_at"],
    )
