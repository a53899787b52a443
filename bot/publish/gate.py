"""The last look before a ref moves: is the tree about to be published the base's with the planned literals?

Pure, and built on nothing that made the commit: two trees, the proved edits and the configured bounds
in, the first thing that is wrong out. Reading the trees and proving the edits again is
`bot.tasks.gating`'s part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.domain import BlobSha, CommitSha, FileEdit, LiteralChange, TestPath, blob_sha
from bot.globs import matches_any, never_written
from bot.publish.names import EVIDENCE_BRANCH, rolling_branch, saved_branches
from bot.publish.ports.refs import RefChange, RefMove
from bot.publish.tree_name import Entry, Tree

_REGULAR = frozenset({"100644", "100755"})


class GateReason(StrEnum):
    """Why a commit of ours is not published."""

    UNPLANNED_PATH = "unplanned_path"  # the trees differ where no edit was planned
    EDIT_MISSING = "edit_missing"  # a planned edit is not in the tree
    OTHER_BYTES = "other_bytes"  # the tree holds other bytes than the proved ones
    OTHER_BASE = "other_base"  # the edit was proved on other bytes than the base's
    MODE_CHANGED = "mode_changed"
    NOT_A_REGULAR_FILE = "not_a_regular_file"
    PROTECTED_PATH = "protected_path"  # below .github or .git, or no path inside the tree
    OUTSIDE_CONFIGURED = "outside_configured"  # no configured glob or file names it
    UNPLANNED_LITERAL = "unplanned_literal"  # an edit changes what no decision asks for
    NOT_PROVED = "not_proved"  # the edit check, run again, fails
    OTHER_PARENT = "other_parent"  # the commit stands on something else than the base that was evaluated
    FOREIGN_REF = "foreign_ref"  # a branch that is not ours, or one moved as it never may be


@dataclass(frozen=True, slots=True)
class GateRefusal:
    """The first thing that is wrong, and where."""

    reason: GateReason
    place: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.place}{f' ({self.detail})' if self.detail else ''}"


@dataclass(frozen=True, slots=True)
class _File:
    blob: BlobSha
    mode: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be written: files that a glob matches, and files that are named."""

    globs: tuple[str, ...]
    named: frozenset[TestPath] = frozenset()

    def hold(self, path: TestPath) -> bool:
        """True where the path may be written."""
        return path in self.named or matches_any(self.globs, path)


def edited_tree(base: Tree, edits: Sequence[FileEdit]) -> Tree:
    """The tree that should be published: the base's files, those that are edited with their new bytes."""
    edited = {edit.path: _File(blob_sha(edit.after), base[edit.path].mode) for edit in edits if edit.path in base}
    return {**base, **edited}


def refused_tree(base: Tree, made: Tree, edits: Sequence[FileEdit], bounds: Bounds) -> GateRefusal | None:
    """None where `made` is `base` with exactly these edits, each inside the bounds."""
    planned = {edit.path: edit for edit in edits}
    changed = {path for path in base.keys() | made.keys() if not _equal(base.get(path), made.get(path))}
    for path in sorted(changed - planned.keys()):
        return GateRefusal(GateReason.UNPLANNED_PATH, path)
    for path, edit in sorted(planned.items()):
        reason = _wrong(base.get(path), made.get(path), edit, bounds)
        if reason is not None:
            return GateRefusal(reason, path)
    return None


def refused_parents(parents: Sequence[CommitSha], base_sha: CommitSha) -> GateRefusal | None:
    """None where the commit stands on the base alone: a tree says nothing of what a merge of it would bring along."""
    if tuple(parents) == (base_sha,):
        return None
    return GateRefusal(GateReason.OTHER_PARENT, base_sha, " ".join(parents) or "it has none")


def refused_literals(edits: Iterable[FileEdit], planned: Iterable[LiteralChange]) -> GateRefusal | None:
    """None where every literal that the edits change is one that the decisions ask for, with its value."""
    wanted = {(change.path, change.index): change for change in planned}
    for edit in edits:
        for change in edit.changes:
            asked = wanted.get((edit.path, change.index))
            if change.path != edit.path or asked is None or not _within(change, asked):
                return GateRefusal(GateReason.UNPLANNED_LITERAL, edit.path, f"call {change.index}")
    return None


def refused_refs(changes: Iterable[RefChange], base: str) -> GateRefusal | None:
    """None where only our own branches move: the rolling one anyhow, evidence and saved tips forward only."""
    rolling = rolling_branch(base)
    for change in changes:
        if not _ours(change, rolling):
            return GateRefusal(GateReason.FOREIGN_REF, change.branch, change.move)
    return None


def _ours(change: RefChange, rolling: str) -> bool:
    if change.after is None:
        return False
    if change.branch == EVIDENCE_BRANCH:
        return change.move is RefMove.FAST_FORWARD
    if change.branch == rolling:
        return True
    return (
        change.before is None and change.move is RefMove.FAST_FORWARD and change.branch in saved_branches(change.after)
    )


def _wrong(before: Entry | None, after: Entry | None, edit: FileEdit, bounds: Bounds) -> GateReason | None:
    if never_written(edit.path):
        return GateReason.PROTECTED_PATH
    if not bounds.hold(edit.path):
        return GateReason.OUTSIDE_CONFIGURED
    if before is None or before.blob != blob_sha(edit.before):
        return GateReason.OTHER_BASE
    if after is None or _equal(before, after):
        return GateReason.EDIT_MISSING
    if before.mode not in _REGULAR:
        return GateReason.NOT_A_REGULAR_FILE
    if after.mode != before.mode:
        return GateReason.MODE_CHANGED
    return None if after.blob == blob_sha(edit.after) else GateReason.OTHER_BYTES


def _equal(one: Entry | None, other: Entry | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.blob == other.blob and one.mode == other.mode


def _within(change: LiteralChange, asked: LiteralChange) -> bool:
    """True where the change is the asked one or a part of it: what a file says already is not written again."""
    return change.est_time in (None, asked.est_time) and change.labels in (None, asked.labels)
