"""What an evaluation changes: one change a call, at most so many files, and the proven edits of each. Pure.

Which literals are off is decided before; how one is rewritten and proved is `bot.edit`'s part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.domain import (
    BlobSha,
    Decision,
    Evaluation,
    FileEdit,
    Keep,
    KeepReason,
    LabelChange,
    LabelRefusal,
    LabelSelection,
    LiteralChange,
    Proposal,
    RefusedEdit,
    RefusedLabels,
    RegistrationKey,
    TestPath,
)
from bot.edit.apply import apply
from bot.edit.labels import LabelPlan
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects


def planned(evaluation: Evaluation) -> tuple[LiteralChange, ...]:
    """The literals an evaluation asks to change, whether or not its edits are at hand."""
    return changes_of(evaluation.decisions, evaluation.label_changes)


def edited(
    evaluation: Evaluation,
    files: Mapping[TestPath, TreeEntry],
    contents: Mapping[BlobSha, bytes],
    dialects: Dialects = AUTOMATIC,
) -> Evaluation:
    """The evaluation with its edits made again from the base's own bytes."""
    edits, refused = edits_of(planned(evaluation), files, contents, dialects)
    return replace(evaluation, edits=edits, refused_edits=refused)


def changes_of(decisions: Iterable[Decision], labels: Iterable[LabelChange]) -> tuple[LiteralChange, ...]:
    """One change a call: its new estimate, its labels, or both."""
    found: dict[tuple[TestPath, int], LiteralChange] = {}
    for decision in decisions:
        if isinstance(decision, Proposal):
            call = decision.registration
            found[(call.file, call.index)] = LiteralChange(call.file, call.blob, call.index, decision.after)
    for change in labels:
        call = change.registration
        place = (call.file, call.index)
        present = found.get(place, LiteralChange(call.file, call.blob, call.index))
        found[place] = replace(present, labels=change.after)
    return tuple(found[place] for place in sorted(found))


def capped(
    decisions: tuple[Decision, ...], labels: LabelPlan, most: int | None
) -> tuple[tuple[Decision, ...], LabelPlan]:
    """At most so many files, those with the largest change first; the others keep what they have, by name."""
    weight: dict[TestPath, float] = {change.registration.file: 0.0 for change in labels.changes}
    for one in decisions:
        if isinstance(one, Proposal):
            path = one.registration.file
            weight[path] = max(weight.get(path, 0.0), abs(one.after - one.registration.est_time))
    if most is None or len(weight) <= most:
        return decisions, labels
    over = set(sorted(weight, key=lambda path: (-weight[path], path))[most:])
    kept = tuple(one for one in labels.changes if one.registration.file not in over)
    left = tuple(
        RefusedLabels(one.registration, LabelRefusal.OVER_CAP, one.rule)
        for one in labels.changes
        if one.registration.file in over
    )
    return tuple(_held_back(one, over) for one in decisions), LabelPlan(kept, (*labels.refused, *left))


def _held_back(decision: Decision, over: set[TestPath]) -> Decision:
    if not isinstance(decision, Proposal) or decision.registration.file not in over:
        return decision
    return Keep(
        registration=decision.registration,
        reason=KeepReason.OVER_CAP,
        estimate=decision.estimate,
        held=decision.after,
        timeout_s=decision.timeout_before_s,
        samples=decision.samples,
        flags=decision.flags,
    )


def edits_of(
    changes: Sequence[LiteralChange],
    files: Mapping[TestPath, TreeEntry],
    contents: Mapping[BlobSha, bytes],
    dialects: Dialects,
) -> tuple[tuple[FileEdit, ...], tuple[RefusedEdit, ...]]:
    """The edit of each file that changes, proved, and what could not be edited."""
    edits: list[FileEdit] = []
    refused: list[RefusedEdit] = []
    for path in dict.fromkeys(change.path for change in changes):
        wanted = [change for change in changes if change.path == path]
        applied = apply(path, contents[files[path].blob], wanted, dialects)
        refused += applied.refused
        if applied.edit:
            edits.append(replace(applied.edit, mode=files[path].mode))
    return tuple(edits), tuple(refused)


def selections(labels: Iterable[LabelChange], decisions: Iterable[Decision]) -> tuple[LabelSelection, ...]:
    """For each inserted label the tests it newly selects, and the seconds that adds to it."""
    seconds = {one.registration.key: _seconds(one) for one in decisions}
    keys: dict[str, list[RegistrationKey]] = {}
    for change in labels:
        for label in change.add:
            keys.setdefault(label, []).append(change.registration.key)
    return tuple(
        LabelSelection(label, tuple(sorted(found)), sum(seconds.get(key, 0.0) for key in found))
        for label, found in sorted(keys.items())
    )


def _seconds(decision: Decision) -> float:
    """The slowest accepted pass; the literal where there is none."""
    return max((float(sample.elapsed_s) for sample in decision.samples), default=decision.registration.est_time)
