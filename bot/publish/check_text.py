"""The texts of a nightly's check run: title, summary, and an annotation on each literal that needs a look.

Annotations are plain text to GitHub, so invisible characters are spelled out and nothing else is
needed. Lines are those of the registrations the evaluation read. Making the check run is another
module's part.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import Decision, Evaluation, Keep, KeepReason, Proposal, RefusedCall, RejectionReason, TestPath
from bot.publish.body_changes import changes
from bot.publish.body_left import left_alone, not_editable
from bot.publish.body_summary import headline, summary
from bot.publish.budget import CHECK_FIELD_LIMIT, assemble
from bot.publish.evidence_csv import number
from bot.publish.links import Links
from bot.publish.lookup import Lookup, lookup
from bot.publish.ports import Annotation, AnnotationLevel
from bot.publish.visible import clipped, visible
from bot.publish.wording import EDIT_REFUSAL, KEEP, words

ANNOTATIONS_A_REQUEST = 50  # GitHub refuses a request with more
_TITLE_LIMIT = 255  # characters
_MESSAGE_LIMIT = 4000  # characters; GitHub takes 64 KB


def nightly_title(evaluation: Evaluation) -> str:
    """One line of plain text: what would change."""
    return clipped(headline(lookup(evaluation)), _TITLE_LIMIT)


def nightly_summary(evaluation: Evaluation, links: Links, limit: int = CHECK_FIELD_LIMIT) -> str:
    """The summary as Markdown, at most `limit` bytes: whole rows are left out and counted."""
    known = lookup(evaluation)
    blocks = (*summary(known, links), *changes(known, links), *left_alone(known, links), *not_editable(known))
    return assemble(blocks, limit)


def nightly_annotations(evaluation: Evaluation) -> tuple[Annotation, ...]:
    """One for each literal that is off, held back or timed out, and each call that cannot be edited.

    By path and line. Equal evaluations give equal annotations.
    """
    known = lookup(evaluation)
    found = [note for decision in evaluation.decisions for note in _of_decision(known, decision)]
    found += [_refused(item) for item in evaluation.refused_calls]
    return tuple(sorted(found, key=lambda note: (note.path, note.line, note.level, note.title, note.message)))


def batches(notes: Sequence[Annotation], most: int = ANNOTATIONS_A_REQUEST) -> tuple[tuple[Annotation, ...], ...]:
    """The annotations in requests of at most `most`. Always one request at least, which may be empty."""
    cut = tuple(tuple(notes[start : start + most]) for start in range(0, len(notes), most))
    return cut or ((),)


def _of_decision(known: Lookup, decision: Decision) -> tuple[Annotation, ...]:
    timeout = _timed_out(known, decision)
    if isinstance(decision, Proposal):
        return (_off(decision), *timeout)
    if decision.held is not None and decision.reason not in (KeepReason.EQUAL, KeepReason.CANNOT_EDIT):
        return (_held(decision), *timeout)
    return timeout


def _off(proposal: Proposal) -> Annotation:
    estimate, registration = proposal.estimate, proposal.registration
    message = (
        f"Slowest pass {estimate.max_elapsed_s} s (passes: {estimate.n}, nights: {estimate.nights}). "
        f"Rule: {estimate.method}. "
        f"Timeout limit {proposal.timeout_before_s} s now, {proposal.timeout_after_s} s then."
    )
    title = f"est_time {number(registration.est_time)} → {proposal.after}"
    return _note(registration.key.path, registration.est_line, AnnotationLevel.WARNING, title, message)


def _held(keep: Keep) -> Annotation:
    registration = keep.registration
    title = f"est_time {number(registration.est_time)} kept; the nights say {keep.held}"
    message = words(KEEP, keep.reason) + (f": {keep.detail}" if keep.detail else "") + "."
    return _note(registration.key.path, registration.est_line, AnnotationLevel.NOTICE, title, message)


def _timed_out(known: Lookup, decision: Decision) -> tuple[Annotation, ...]:
    """A note where this key timed out in a run of the evaluation."""
    registration = decision.registration
    rejections = known.unused_by_key.get(registration.key, ())
    found = [item.row for item in rejections if item.reason is RejectionReason.TIMEOUT]
    if not found:
        return ()
    said = "; ".join(
        f"run {item.run_id}, job {item.job_id}: "
        + (f"after {item.elapsed_s} s" if item.elapsed_s is not None else "no time recorded")
        + f", est_time {number(item.logged_est_s)}"
        for item in found
    )
    return (_note(registration.key.path, registration.est_line, AnnotationLevel.FAILURE, "Timed out", said),)


def _refused(item: RefusedCall) -> Annotation:
    message = words(EDIT_REFUSAL, item.reason) + (f": {item.detail}" if item.detail else "") + "."
    return _note(item.path, item.line, AnnotationLevel.NOTICE, "This registration cannot be edited", message)


def _note(path: TestPath, line: int, level: AnnotationLevel, title: str, message: str) -> Annotation:
    return Annotation(
        path=path,
        line=max(line, 1),
        level=level,
        title=clipped(visible(title), _TITLE_LIMIT),
        message=clipped(visible(message[0].upper() + message[1:]), _MESSAGE_LIMIT),
    )
