"""Tests at their limit, in words: how far each came, where its time went, how it was launched, what answers it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.domain import CommitNote, LimitAnswer, LimitFinding, LimitKind, PastTry, RowTrace
from bot.publish.body_changes import arrow
from bot.publish.body_summary import runs_by_id, short
from bot.publish.budget import Block
from bot.publish.evidence_csv import number
from bot.publish.links import Links
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, link, plural
from bot.publish.wording import STATUS, words

_PHASES_SHOWN = 6
_COMMITS_SHOWN = 5
_HISTORY_SHOWN = 5


def limits(known: Lookup, links: Links) -> tuple[Block, ...]:
    """Every test that hit its limit, and every pass within a tenth of it; answered ones last."""
    found = known.evaluation.limits
    if not found:
        return ()
    head = (
        f"### At the limit ({len(found)})\n\n"
        "Tests that were killed at their limit, or passed within a tenth of it. Explaining is not editing: "
        "a literal follows from passes alone.\n\n"
    )
    return (Block(head, tuple(_finding(known, links, one) for one in found), "\n"),)


def _finding(known: Lookup, links: Links, one: LimitFinding) -> str:
    lines = [f"- {_opening(known, links, one)}{_pace(one)}\n"]
    parts = (_phases(one.trace), _facts(one.trace), _history(one), _commits(one), *_answer(one))
    return "".join((*lines, *(f"  - {part}\n" for part in parts if part)))


def _opening(known: Lookup, links: Links, one: LimitFinding) -> str:
    row = one.row
    run = link(str(row.run_id), links.job(runs_by_id(known).get((row.run_id, row.attempt)), row))
    what = f"{code(row.path)} on {code(row.suite)}"
    if one.kind is LimitKind.TIMED_OUT:
        return f"{what} was killed at {one.limit_s} s in run {run} (literal {number(row.logged_est_s)}). "
    return f"{what} passed after {row.elapsed_s} s of the {one.limit_s} s it may take, in run {run}. "


def _pace(one: LimitFinding) -> str:
    """How far it came, and what finishing needs."""
    if one.kind is LimitKind.NEAR_LIMIT:
        return f"The rule makes {one.literal_s} of that pass." if one.literal_s else ""
    reached = one.trace.progress
    if reached is None:
        return "Its output says nothing about how far it came."
    said = f"It had reached {code(reached.unit, 40)} {reached.done} of {reached.total}"
    if reached.restarts:
        return f"{said}, after {plural(reached.restarts, 'earlier count')} of its own; what is left is not known."
    if one.needed_s is None or one.least_s is None:
        return f"{said}."
    pace = (one.row.elapsed_s or 0) / reached.done
    rule = f"; the rule would make {one.literal_s} of such a pass" if one.literal_s else ""
    return (
        f"{said}, {pace:.1f} s each: finishing needs about {round(one.needed_s, -1)} s. "
        f"A literal of {one.least_s} would allow that{rule}."
    )


def _phases(trace: RowTrace) -> str:
    if not trace.phases:
        return ""
    shown = (f"{code(one.name, 60)} {one.seconds:.1f} s ({one.share:.0%})" for one in trace.phases[:_PHASES_SHOWN])
    return f"Where a step's time went (phases may hold one another): {', '.join(shown)}."


def _facts(trace: RowTrace) -> str:
    shown = (f"{code(one.name, 80)} {code(one.value, 80)}" for one in trace.facts)
    return f"Launched with {', '.join(shown)}." if trace.facts else ""


def _history(one: LimitFinding) -> str:
    if not one.history:
        return "No earlier run of it is known here."
    shown = ", ".join(f"{_past(past)} in run {past.run_id}" for past in one.history[:_HISTORY_SHOWN])
    left_out = len(one.history) - _HISTORY_SHOWN
    return f"Before, newest first: {shown}{f' and {left_out} more' if left_out > 0 else ''}."


def _past(past: PastTry) -> str:
    after = f" after {past.elapsed_s} s" if past.elapsed_s is not None else ""
    return f"{words(STATUS, past.status)}{after}"


def _commits(one: LimitFinding) -> str:
    if one.last_pass is None:
        return (
            f"It passed in no run known here. Commits that touched it last: {_listed(one.commits)}."
            if (one.commits)
            else ""
        )
    if not one.commits:
        return f"No commit is known that touched it since it last passed (run {one.last_pass.run_id})."
    return f"Commits that touched it since it last passed (run {one.last_pass.run_id}): {_listed(one.commits)}."


def _listed(commits: Sequence[CommitNote]) -> str:
    shown = ", ".join(f"{short(one.sha)} {code(one.subject, 100)}" for one in commits[:_COMMITS_SHOWN])
    left_out = len(commits) - _COMMITS_SHOWN
    return f"{shown} and {left_out} more" if left_out > 0 else shown


def _answer(one: LimitFinding) -> Iterator[str]:
    """What later passes say: before and after, and the literal that the rule makes of them."""
    answer = one.answer
    if answer is None:
        return
    newest = answer.passes[-1]
    changed = {True: "the file changed in between", False: "the file is the same", None: ""}[answer.file_changed]
    yield (
        f"**Answered**: passed after {newest.elapsed_s} s in run {newest.run_id} "
        f"({one.row.elapsed_s} → {newest.elapsed_s} s{f'; {changed}' if changed else ''}). "
        f"The rule makes **{answer.literal_s}** of {_passes(answer)}; "
        f"nights that confirm it so far: {answer.nights}, needed: {answer.nights_needed}."
    )
    difference = "; ".join((*_facts_changed(one.trace, answer.trace), *_phases_changed(one.trace, answer.trace)))
    if difference:
        yield f"What differs in its output: {difference}."


def _passes(answer: LimitAnswer) -> str:
    count = len(answer.passes)
    return "that pass" if count == 1 else f"the slowest of {count} such passes"


def _facts_changed(before: RowTrace, after: RowTrace) -> Iterator[str]:
    old = {one.name: one.value for one in before.facts}
    new = {one.name: one.value for one in after.facts}
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name) and new:
            yield f"{code(name, 80)} {_value(old.get(name))} → {_value(new.get(name))}"


def _value(value: str | None) -> str:
    return "none" if value is None else code(value, 80)


def _phases_changed(before: RowTrace, after: RowTrace) -> Iterator[str]:
    new = {one.name: one.seconds for one in after.phases}
    for one in before.phases[:_PHASES_SHOWN]:
        if one.name in new and abs(new[one.name] - one.seconds) >= max(1.0, one.seconds / 10):
            yield f"{code(one.name, 60)} {arrow(f'{one.seconds:.1f}', f'{new[one.name]:.1f}', ' s')} a step"
