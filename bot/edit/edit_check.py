"""The proof after an edit: nothing but the planned literals changed. Shares no code with the rewriting.

Four claims, each on its own: with the changed literals masked both versions are the same bytes;
both parse to the same program but for those literals; a changed label list has only gained bytes;
read again, the registrations say exactly what was planned. Also gives the mask the identity
check compares with. Edits nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.domain import BlobSha, LiteralChange, Registration, TestPath
from bot.edit.registrations import dialect_of
from bot.edit.registrations.contract import CallLiterals, RegistrationDialect

_EST_TIME = b"\0e"  # source text holds no NUL, so a mask is like nothing else
_LABELS = b"\0l"


def mask(raw: bytes, dialect: RegistrationDialect | None = None) -> bytes:
    """The bytes with every editable est_time and label list of a registration masked; never raises.

    Without a dialect, the one that the bytes show.
    """
    dialect = dialect or dialect_of(raw)
    if dialect is None:
        return raw
    found = dialect.literals(raw)
    return _masked(raw, [*_est_times(found), *_label_lists(found)])


def check(
    before: bytes, after: bytes, changes: Sequence[LiteralChange], dialect: RegistrationDialect | None = None
) -> str | None:
    """None where `after` is `before` with exactly `changes` made; else which claim fails."""
    dialect = dialect or dialect_of(before)
    if dialect is None:
        return "no registration"
    old, new = dialect.literals(before), dialect.literals(after)
    est = {change.index for change in changes if change.est_time is not None}
    labels = {change.index for change in changes if change.labels is not None}
    if _changed_masked(before, old, est, labels) != _changed_masked(after, new, est, labels):
        return "bytes outside the literals differ"
    if not all(_only_gained(before, after, *pair) for pair in zip(old, new, strict=True) if pair[0].index in labels):
        return "a label list lost or moved something"
    if not dialect.same_but_literals(before, after, frozenset(est | labels)):
        return "the programs differ"
    return None if _reads_as_planned(dialect, before, after, changes) else "the registrations do not read as planned"


def _changed_masked(raw: bytes, found: tuple[CallLiterals, ...], est: set[int], labels: set[int]) -> bytes:
    spans = [
        *_est_times(call for call in found if call.index in est),
        *_label_lists(call for call in found if call.index in labels),
    ]
    return _masked(raw, spans) + b"\0%d" % len(found)


def _est_times(found: Iterable[CallLiterals]) -> list[tuple[int, int, bytes]]:
    return [(*call.est_time, _EST_TIME) for call in found if call.est_time]


def _label_lists(found: Iterable[CallLiterals]) -> list[tuple[int, int, bytes]]:
    return [(*call.labels, _LABELS) for call in found if call.labels]


def _masked(raw: bytes, spans: list[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for start, end, mark in sorted(spans):
        pieces += [raw[position:start], mark]
        position = end
    return b"".join([*pieces, raw[position:]])


def _only_gained(before: bytes, after: bytes, old: CallLiterals, new: CallLiterals) -> bool:
    """True where the old list's bytes are all there, in order, among the new one's."""
    if old.labels is None or new.labels is None:
        return False
    rest = iter(after[slice(*new.labels)])
    return all(byte in rest for byte in before[slice(*old.labels)])


def _reads_as_planned(
    dialect: RegistrationDialect, before: bytes, after: bytes, changes: Sequence[LiteralChange]
) -> bool:
    path, blob = TestPath("checked"), BlobSha("")
    old, new = dialect.read(path, blob, before), dialect.read(path, blob, after)
    wanted = {change.index: change for change in changes}
    planned = [_planned(registration, wanted.get(registration.index)) for registration in old.registrations]
    return (
        len(planned) == len(new.registrations)
        and len(old.refused) == len(new.refused)
        and all(_says(found, plan) for found, plan in zip(new.registrations, planned, strict=True))
    )


def _planned(registration: Registration, change: LiteralChange | None) -> Registration:
    if change is None:
        return registration
    if change.est_time is not None:
        registration = replace(registration, est_time=float(change.est_time), est_text=str(change.est_time))
    return registration if change.labels is None else replace(registration, labels=change.labels)


def _says(found: Registration, planned: Registration) -> bool:
    """Equal but for the lines, which an added element may move."""
    return found == replace(planned, line=found.line, end_line=found.end_line, est_line=found.est_line)
