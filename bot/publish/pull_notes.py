"""The annotations of a pull request's check run: what to say to each registration it adds or changes.

Lines are those of the pull request's head. What is said to a call that nobody can edit is a
warning here: there is somebody who can mend it.
"""

from __future__ import annotations

from dataclasses import replace

from bot.config_file import CONFIG_PATH, Problem
from bot.domain import Estimate, Flag, Keep, KeepReason, Proposal, Registration, TestPath
from bot.publish.check_notes import MOST_ANNOTATIONS, OFF_ALL_THE_SAME, Remark, cannot_edit, combined, refused_call
from bot.publish.comparison import Compared, Comparison
from bot.publish.evidence_csv import number
from bot.publish.ports.checks import Annotation, AnnotationLevel
from bot.publish.wording import FLAG, KEEP, words

_LABELS_NAMED = 20
_SUITES_NAMED = 5
_QUIET = (KeepReason.EQUAL, KeepReason.IMMATERIAL)


def pull_notes(comparison: Comparison, most: int = MOST_ANNOTATIONS) -> tuple[Annotation, ...]:
    """One for each registration that needs a look, each refused call and each line of a wrong configuration."""
    found = [
        combined(
            TestPath(CONFIG_PATH),
            problem.line,
            [Remark(AnnotationLevel.FAILURE, "This cannot be used", _problem(problem))],
        )
        for problem in comparison.config or ()
    ]
    found += [
        combined(one.registration.file, one.registration.est_line, remarks)
        for one in comparison.compared
        if (remarks := remarks_on(one))
    ]
    found += [combined(item.path, item.line, [to_mend(refused_call(item))]) for item in comparison.refused]
    return tuple(found[:most])


def remarks_on(one: Compared) -> list[Remark]:
    """Everything to say to one registration, the worst first; nothing where it is right."""
    found = [*_kills(one), *_labels(one)]
    if isinstance(one.decision, Proposal):
        return [*found, _off(one.decision)]
    return [*found, *_kept(one, one.decision)]


def _problem(problem: Problem) -> str:
    """Without its line: the annotation stands on it."""
    return f"{problem.message} ({problem.key})" if problem.key else problem.message


def _kills(one: Compared) -> tuple[Remark, ...]:
    if not one.kills:
        return ()
    title = f"The limit of {one.limit_s} s kills a pass of {one.known_pass_s} s"
    written = number(one.registration.est_time)
    text = f"this very test took {one.known_pass_s} s; at est_time {written} it is killed at {one.limit_s} s."
    return (Remark(AnnotationLevel.FAILURE, title, text),)


def _labels(one: Compared) -> tuple[Remark, ...]:
    if not one.unknown_labels:
        return ()
    named = ", ".join(map(repr, one.unknown_labels[:_LABELS_NAMED]))
    return (Remark(AnnotationLevel.WARNING, "Unknown label", f"the label registry does not have {named}."),)


def _off(proposal: Proposal) -> Remark:
    if Flag.PROBE in proposal.flags:
        return _says(proposal.registration, proposal.after, f"{words(FLAG, Flag.PROBE)}.")
    before, after = proposal.timeout_before_s, proposal.timeout_after_s
    limit = (
        f"{before} s at either value" if before == after else f"{before} s as written, {after} s at {proposal.after}"
    )
    return _says(proposal.registration, proposal.after, f"{_measured(proposal.estimate)}Timeout limit {limit}.")


def _kept(one: Compared, keep: Keep) -> tuple[Remark, ...]:
    if keep.reason is KeepReason.CANNOT_EDIT:
        return (to_mend(cannot_edit(keep.registration)),)
    if keep.reason in (KeepReason.NO_SAMPLE, KeepReason.NEEDS_PERSON):
        return (_unmeasured(one),)
    if keep.held is None or keep.reason in _QUIET:
        return ()
    why = words(KEEP, keep.reason) + (f": {keep.detail}" if keep.detail else "")
    if keep.reason in OFF_ALL_THE_SAME:
        text = f"{_measured(keep.estimate)}Held back from an edit of ours: {why}."
        return (_says(keep.registration, keep.held, text),)
    return (Remark(AnnotationLevel.NOTICE, f"The nights say est_time {keep.held}, not for certain", f"{why}."),)


def _measured(estimate: Estimate | None) -> str:
    """What a value rests on."""
    if estimate is None:
        return ""
    return (
        f"slowest pass {estimate.max_elapsed_s} s (passes: {estimate.n}, nights: {estimate.nights}). "
        f"Rule: {estimate.method}. "
    )


def _says(call: Registration, value: int, text: str) -> Remark:
    return Remark(AnnotationLevel.WARNING, f"The nights say est_time {value}, not {number(call.est_time)}", text)


def _unmeasured(one: Compared) -> Remark:
    """New, or changed so that what was measured no longer speaks for it."""
    said = ["no night has measured this test as it is written here."]
    if one.earlier_pass_s:
        said.append(f"In an earlier form it passed in {one.earlier_pass_s} s.")
    if one.elsewhere:
        said.append(f"Measured on other suites: {', '.join(one.elsewhere[:_SUITES_NAMED])}.")
    title = "New registration without measurements" if one.before is None else "No measurement for this value"
    return Remark(AnnotationLevel.NOTICE, title, " ".join(said))


def to_mend(remark: Remark) -> Remark:
    """In a pull request there is somebody who can mend it."""
    return replace(remark, level=AnnotationLevel.WARNING)
