"""The files that were measured, beside those that would be edited: identity checks, and literals at a head. Pure.

What a difference means for a pass or a literal is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from bot.calibration.decide import HeadLiteral
from bot.calibration.history import newest_sample
from bot.domain import CommitSha, IdentityCheck, ImportDifference, KeyHistory, Registration, TestPath
from bot.edit.identity import TwoVersions, check_identity, paths_by_blob
from bot.edit.imports.differences import difference, with_imports
from bot.edit.ports import TreeEntry
from bot.edit.registrations import Dialects
from bot.edit.tree_reader import file_of
from bot.evidence.anchoring import same_literal
from bot.tasks.gather import Gathered
from bot.tasks.question import Question


def identities_of(
    at: Gathered, pairs: Iterable[tuple[TestPath, CommitSha]], dialects: Dialects
) -> tuple[IdentityCheck, ...]:
    """The identity check of each pair of a measured path and the head it was measured at.

    What a test imports or launches belongs to its verdict; tests that reach the same file share its comparison.
    """
    by_blob = paths_by_blob(at.base_files)

    @cache
    def differs(path: TestPath, head: CommitSha) -> ImportDifference | None:
        return difference(_versions(at, path, head, at.heads[head].imported), by_blob, dialects)

    def checked(path: TestPath, head: CommitSha) -> IdentityCheck:
        check = check_identity(_versions(at, path, head, at.heads[head].files), by_blob, dialects)
        reached = at.imports.get(file_of(path))
        return with_imports(check, (differs(one, head) for one in reached.files)) if reached else check

    return tuple(checked(path, head) for path, head in pairs)


def _versions(at: Gathered, path: TestPath, head: CommitSha, there: Mapping[TestPath, TreeEntry]) -> TwoVersions:
    file = file_of(path)
    measured, base = there.get(file), at.base_files.get(file)
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
