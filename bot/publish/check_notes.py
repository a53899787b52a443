"""The annotations of a nightly's check run: one for each registration that needs a look, worst first.

Annotations stand on the commit the check run is on. A file that is another one at the base has its
registrations elsewhere there, so that lines are taken from the file as it is at the commit. To
GitHub they are plain text, so invisible characters are spelled out and nothing else is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain import (
    Decision,
    Evaluation,
    Flag,
    Keep,
    KeepReason,
    Proposal,
    RefusedCall,
    Registration,
    Rejection,
    RejectionReason,
    Run,
    ScheduledFile,
    SourceRegistrations,
    Status,
    TestPath,
)
from bot.publish.evidence_csv import number
from bot.publish.lookup import Lookup, lookup, main_reason
from bot.publish.ports.checks import Annotation, AnnotationLevel
from bot.publish.reasons import timeout_limit
from bot.publish.visible import clipped, visible
from bot.publish.wording import EDIT_REFUSAL, FLAG, KEEP, REJECTION, words

MOST_ANNOTATIONS = 500  # ten requests; what is over it is counted in the summary
_TITLE_LIMIT = 255  # characters
_MESSAGE_LIMIT = 4000  # characters; GitHub takes 64 KB
_ROWS_NAMED = 10
_LEVELS = (AnnotationLevel.FAILURE, AnnotationLevel.WARNING, AnnotationLevel.NOTICE)
_QUIET = (KeepReason.EQUAL, KeepReason.IMMATERIAL)
_UNMEASURED = (KeepReason.NO_SAMPLE, KeepReason.NEEDS_PERSON)
# Held back from an edit that nobody looks at beforehand; the literal is off all the same.
OFF_ALL_THE_SAME = frozenset({KeepReason.OVER_CAP, KeepReason.LARGE_DROP, KeepReason.MASS_CHANGE, KeepReason.DECLINED})


@dataclass(frozen=True, slots=True)
class NightlyCheck:
    """What a nightly's check run is made of: an evaluation, seen from one run attempt.

    `at_head` holds the files that are another blob at the run's head than at the base, as they are
    there; None for one that is not there at all. `unpublished` says why there is no pull request (Markdown).
    """

    evaluation: Evaluation
    run: Run
    at_head: Mapping[TestPath, SourceRegistrations | None] = field(default_factory=dict)
    unpublished: str = ""

    @property
    def timed_out(self) -> tuple[ScheduledFile, ...]:
        """The files that this attempt, carried-over jobs included, lists as timed out."""
        name = (self.run.run_id, self.run.attempt)
        found = [one for one in self.evaluation.runs if (one.run.run_id, one.run.attempt) == name]
        return tuple(row for one in found for row in one.rows if row.status is Status.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Notes:
    """Annotations by path and line. `elsewhere` counts registrations that are not at this commit."""

    annotations: tuple[Annotation, ...] = ()
    left_out: int = 0
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say about a registration."""

    level: AnnotationLevel
    title: str
    text: str


def nightly_notes(check: NightlyCheck, most: int = MOST_ANNOTATIONS) -> Notes:
    """All annotations, at most `most`. Equal evaluations give equal annotations."""
    known = lookup(check.evaluation)
    found: list[Annotation] = []
    elsewhere = 0
    for decision in check.evaluation.decisions:
        remarks = _remarks(check, known, decision)
        there = _there(check, decision.registration) if remarks else None
        if there is not None:
            found.append(combined(there.file, there.est_line, [*remarks, *_otherwise(check, decision, there)]))
        elsewhere += bool(remarks) and there is None
    found += [_refused(item) for item in _refused_calls(check)]
    return _fitted(found, most, elsewhere)


def combined(path: TestPath, line: int, remarks: Sequence[Remark]) -> Annotation:
    """One annotation of several remarks: the worst gives level and title, the others follow in the message."""
    first, *others = sorted(remarks, key=lambda one: _LEVELS.index(one.level))
    lines = [_sentence(first.text), *(_sentence(f"{one.title}: {one.text}") for one in others)]
    message = "\n".join(visible(line) for line in lines)
    return Annotation(
        path=path,
        line=max(line, 1),
        level=first.level,
        title=clipped(visible(first.title), _TITLE_LIMIT),
        message=clipped(message, _MESSAGE_LIMIT),
    )


def off(proposal: Proposal) -> Remark:
    """The literal is off beyond the policy."""
    if Flag.PROBE in proposal.flags:
        title = f"est_time {number(proposal.registration.est_time)} → {proposal.after}, to be tried"
        return Remark(AnnotationLevel.WARNING, title, f"{words(FLAG, Flag.PROBE)}.")
    estimate = proposal.estimate
    text = (
        f"slowest pass {estimate.max_elapsed_s} s (passes: {estimate.n}, nights: {estimate.nights}). "
        f"Rule: {estimate.method}. "
        f"{timeout_limit(proposal)}."
    )
    title = f"est_time {number(proposal.registration.est_time)} → {proposal.after}"
    return Remark(AnnotationLevel.WARNING, title, text)


def cannot_edit(registration: Registration) -> Remark:
    """The call is spelled in a way that is left alone."""
    refusal = registration.est_refusal
    text = words(EDIT_REFUSAL, refusal) if refusal else "est_time is not a finite number"
    return Remark(AnnotationLevel.NOTICE, "This registration cannot be edited", f"{text}.")


def refused_call(item: RefusedCall) -> Remark:
    """A call, or a whole file, that could not be read as a registration."""
    text = words(EDIT_REFUSAL, item.reason) + (f": {item.detail}" if item.detail else "")
    return Remark(AnnotationLevel.NOTICE, "This registration cannot be edited", f"{text}.")


def _remarks(check: NightlyCheck, known: Lookup, decision: Decision) -> list[Remark]:
    """Everything to say about one registration; nothing where it is as it should be."""
    found = [*_timed_out(check, decision), *_near_limit(decision)]
    if isinstance(decision, Proposal):
        return [*found, off(decision)]
    if decision.reason in _UNMEASURED:
        return [*found, _unmeasured(known, decision)]
    if decision.reason is KeepReason.CANNOT_EDIT:
        return [*found, cannot_edit(decision.registration)]
    return [*found, _held(decision)] if decision.held is not None and decision.reason not in _QUIET else found


def _held(keep: Keep) -> Remark:
    level = AnnotationLevel.WARNING if keep.reason in OFF_ALL_THE_SAME else AnnotationLevel.NOTICE
    title = f"est_time {number(keep.registration.est_time)} kept; the nights say {keep.held}"
    return Remark(level, title, words(KEEP, keep.reason) + (f": {keep.detail}" if keep.detail else "") + ".")


def _unmeasured(known: Lookup, keep: Keep) -> Remark:
    unused = known.unused_by_key.get(keep.registration.key, ())
    reason = main_reason(unused)
    if reason is None and keep.registration.key in known.in_one_session:
        text = "its suite ran in one session, without a time for each file."
        return Remark(AnnotationLevel.NOTICE, "Not measured", text)
    text = (
        f"no pass in the window can be used: {words(REJECTION, reason)}{_import_named(unused, reason)}."
        if reason
        else "never scheduled in the window."
    )
    return Remark(AnnotationLevel.NOTICE, "Not measured", text)


def _import_named(unused: Sequence[Rejection], reason: RejectionReason) -> str:
    """Which import it is, where that is the reason: a person would look in vain at the test itself."""
    if reason is not RejectionReason.IMPORT_CHANGED:
        return ""
    return next((f": {one.detail}" for one in unused if one.reason is reason), "")


def _timed_out(check: NightlyCheck, decision: Decision) -> tuple[Remark, ...]:
    key = decision.registration.key
    rows = [row for row in check.timed_out if (row.path, row.backend, row.suite) == (key.path, key.backend, key.suite)]
    if not rows:
        return ()
    said = "; ".join(
        f"run {row.run_id}, job {row.job_id}: "
        + (f"after {row.elapsed_s} s" if row.elapsed_s is not None else "no time recorded")
        + f", est_time {number(row.logged_est_s)}"
        for row in rows[:_ROWS_NAMED]
    )
    return (Remark(AnnotationLevel.FAILURE, "Timed out", f"{said}."),)


def _near_limit(decision: Decision) -> tuple[Remark, ...]:
    """A pass that came within 10 % of the present limit is killed by the next slow night."""
    limit = decision.timeout_before_s if isinstance(decision, Proposal) else decision.timeout_s
    slowest = max((sample.elapsed_s for sample in decision.samples), default=0)
    if not limit or slowest * 10 < limit * 9:
        return ()
    title = f"A pass of {slowest} s is within 10 % of the limit of {limit} s"
    return (Remark(AnnotationLevel.FAILURE, title, "the suite runner kills the file at its limit."),)


def _there(check: NightlyCheck, registration: Registration) -> Registration | None:
    """The registration as it is at the check run's commit; None where it is not there."""
    if registration.file not in check.at_head:
        return registration
    source = check.at_head[registration.file]
    calls = source.registrations if source else ()
    return next((call for call in calls if call.key == registration.key and call.active), None)


def _otherwise(check: NightlyCheck, decision: Decision, there: Registration) -> tuple[Remark, ...]:
    """Says that the literal is another one at this commit, where it is."""
    base = decision.registration.est_time
    if there.est_time == base:
        return ()
    text = f"{number(there.est_time)} here, {number(base)} at {check.evaluation.base}."
    return (Remark(AnnotationLevel.NOTICE, "est_time has changed since", text),)


def _refused_calls(check: NightlyCheck) -> Iterable[RefusedCall]:
    """Those at the base; of a file that is another one at this commit, those that are there."""
    paths = {item.path for item in check.evaluation.refused_calls}
    yield from (item for item in check.evaluation.refused_calls if item.path not in check.at_head)
    for path in sorted(paths & check.at_head.keys()):
        source = check.at_head[path]
        yield from source.refused if source else ()


def _refused(item: RefusedCall) -> Annotation:
    return combined(item.path, item.line, [refused_call(item)])


def _fitted(found: Sequence[Annotation], most: int, elsewhere: int) -> Notes:
    worst_first = sorted(found, key=lambda note: (_LEVELS.index(note.level), *_place(note)))
    return Notes(tuple(sorted(worst_first[:most], key=_place)), max(len(found) - most, 0), elsewhere)


def _place(note: Annotation) -> tuple[str, int, str, str, str]:
    return (note.path, note.line, note.level, note.title, note.message)


def _sentence(text: str) -> str:
    """With a capital; the literal keeps its own name."""
    return text if text.startswith("est_time") else text[:1].upper() + text[1:]
