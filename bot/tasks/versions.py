"""The files that were measured, beside those that would be edited: identity checks, and literals at a head. Pure.

What a difference means for a pass or a literal is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.calibration.decide import HeadLiteral
from bot.calibration.history import newest_sample
from bot.domain import CommitSha, IdentityCheck, KeyHistory, Registration, TestPath
from bot.edit.identity import TwoVersions, check_identity, paths_by_blob
from bot.edit.registrations import Dialects
from bot.edit.tree_reader import file_of
from bot.evidence.anchoring import same_literal
from bot.tasks.gather import Gathered
from bot.tasks.question import Question


def identities_of(
    at: Gathered, pairs: Iterable[tuple[TestPath, CommitSha]], dialects: Dialects
) -> tuple[IdentityCheck, ...]:
    """The identity check of each pair of a measured path and the head it was measured at."""
    by_blob = paths_by_blob(at.base_files)
    return tuple(check_identity(_versions(at, path, head), by_blob, dialects) for path, head in pairs)


def _versions(at: Gathered, path: TestPath, head: CommitSha) -> TwoVersions:
    file = file_of(path)
    measured, base = at.heads[head].files.get(file), at.base_files.get(file)
    return TwoVersions(
        path=path,
        head_sha=head,
        head=measured,
        base=base,
        head_bytes=at.contents.get(measured.blob) if measured else None,
        base_bytes=at.contents.get(base.blob) if base else None,
    )


def head_literal(question: Question, call: Registration, history: KeyHistory) -> HeadLiteral | None:
    """The literal at the newest contributing head; None where the file is the same there."""
    newest = newest_sample(history)
    if newest is None:
        return None
    path, at = call.file, question.gathered
    measured, base = at.heads[newest.row.head_sha].files.get(path), at.base_files.get(path)
    raw = at.contents.get(measured.blob) if measured else None
    if measured is None or base is None or measured == base or raw is None:
        return None
    dialect = Dialects(question.config.registrations).of(path, raw)
    there = dialect.read(path, measured.blob, raw).registrations if dialect else ()
    value = next((one.est_time for one in there if same_literal(call.key, one.key) and one.active), None)
    return HeadLiteral(value, changed_by_us=call.est_time == question.published.get(history.key))
