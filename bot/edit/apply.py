"""Applies planned changes to one file: bytes in, the edited file and every refusal out.

Asks the dialect to rewrite, then proves the result (`edit_check`); what is not proved is not
handed on. Decides nothing about values and writes no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.domain import EditRefusal, FileEdit, LiteralChange, RefusedEdit, Registration, TestPath
from bot.edit.edit_check import check
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.registrations.contract import RegistrationDialect


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of the changes of one file. `edit` is None where its bytes stay."""

    edit: FileEdit | None
    refused: tuple[RefusedEdit, ...] = ()


def apply(path: TestPath, raw: bytes, changes: Sequence[LiteralChange], dialects: Dialects = AUTOMATIC) -> Applied:
    """Make each change of one file that can be made safely; one that cannot blocks no other.

    Literals that say the planned value already are left as they are written. Never raises on any bytes.
    """
    if not changes:
        return Applied(None)
    dialect = dialects.of(path, raw)
    if dialect is None:
        return Applied(None, tuple(RefusedEdit(x, EditRefusal.EDIT_CHECK_FAILED, "no registration") for x in changes))
    wanted, refused = _editable(dialect, path, raw, changes)
    result = dialect.rewrite(raw, wanted) if wanted else None
    if result is None:
        return Applied(None, refused)
    refused += result.refused
    problem = check(raw, result.raw, result.done, dialect) if result.done else None
    if problem:
        failed = tuple(RefusedEdit(change, EditRefusal.EDIT_CHECK_FAILED, problem) for change in result.done)
        return Applied(None, refused + failed)
    edit = FileEdit(path, raw, result.raw, result.done) if result.raw != raw else None
    return Applied(edit, refused)


def _editable(
    dialect: RegistrationDialect, path: TestPath, raw: bytes, changes: Sequence[LiteralChange]
) -> tuple[list[LiteralChange], tuple[RefusedEdit, ...]]:
    """The changes that the file as read allows, reduced to what is not said already; and the others."""
    found = dialect.read(path, changes[0].blob, raw)
    by_index = {registration.index: registration for registration in found.registrations}
    whole_file = next((call for call in found.refused if call.line == 0), None)
    wanted: list[LiteralChange] = []
    refused: list[RefusedEdit] = []
    for change in changes:
        registration = by_index.get(change.index)
        if whole_file:
            refused.append(RefusedEdit(change, whole_file.reason, whole_file.detail))
        elif registration is None:
            refused.append(RefusedEdit(change, EditRefusal.EDIT_CHECK_FAILED, "the file has no such registration"))
        else:
            refused.extend(_refusals(registration, change))
            wanted.append(_needed(registration, change))
    return [change for change in wanted if change.est_time is not None or change.labels is not None], tuple(refused)


def _refusals(registration: Registration, change: LiteralChange) -> Iterator[RefusedEdit]:
    """One literal of a call may be refused while the other is edited."""
    if change.est_time is not None and registration.est_refusal:
        yield RefusedEdit(replace(change, labels=None), registration.est_refusal)
    elif change.est_time is not None and change.est_time <= 0:
        yield RefusedEdit(replace(change, labels=None), EditRefusal.EST_TIME_NOT_POSITIVE)
    if change.labels is not None and registration.label_refusal:
        yield RefusedEdit(replace(change, est_time=None), registration.label_refusal)


def _needed(registration: Registration, change: LiteralChange) -> LiteralChange:
    """The change without what is refused and without what the call says already."""
    est_time, labels = change.est_time, change.labels
    if registration.est_refusal or est_time == registration.est_time or (est_time is not None and est_time <= 0):
        est_time = None
    if registration.label_refusal or labels == registration.labels:
        labels = None
    return replace(change, est_time=est_time, labels=labels)
