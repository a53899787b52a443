"""What a report left alone and why: literals kept, passes not used, files that did not pass, calls not edited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.domain import (
    Keep,
    KeepReason,
    RegistrationKey,
    Rejection,
    RejectionReason,
    ScheduledFile,
    Status,
)
from bot.publish.body_changes import suite_cell
from bot.publish.body_summary import runs_by_id, short
from bot.publish.budget import Block
from bot.publish.evidence_csv import cited_rows, number
from bot.publish.links import Links
from bot.publish.lookup import Lookup, main_reason
from bot.publish.markdown import code, link, plural, prose, row, table_head
from bot.publish.wording import EDIT_REFUSAL, KEEP, LABEL_REFUSAL, REJECTION, STATUS, words

_HELD_COLUMNS = ("Test", "Suite", ">est_time", ">Held value", ">Slowest pass", ">Nights", "Why")
_UNUSED_COLUMNS = ("Test", "Suite", ">Slowest pass", "Why", "Blob there", "Blob at the base", "Run")
_FAILED_COLUMNS = ("Test", "Suite", "Outcome", ">After", ">Logged est_time", "Job")
_QUIET = frozenset({KeepReason.EQUAL, KeepReason.NO_SAMPLE, KeepReason.CANNOT_EDIT})


def left_alone(known: Lookup, links: Links) -> tuple[Block, ...]:
    """Counts by reason first, then the held proposals, the unused passes and what did not pass."""
    return (*_kept(known), *_held(known), *_unused(known, links), *_not_passed(known, links))


def not_editable(known: Lookup) -> tuple[Block, ...]:
    """Calls that could not be read or edited, and label rules that could not be carried out."""
    evaluation = known.evaluation
    rows = [
        _refusal(f"{item.path}:{item.line}" if item.line else item.path, words(EDIT_REFUSAL, item.reason), item.detail)
        for item in sorted(evaluation.refused_calls, key=lambda item: (item.path, item.line))
    ]
    rows += [
        _refusal(item.change.path, words(EDIT_REFUSAL, item.reason), item.detail) for item in evaluation.refused_edits
    ]
    rows += [
        _refusal(f"{keep.registration.file}:{keep.registration.line}", words(EDIT_REFUSAL, refusal), "")
        for keep in known.keeps
        if keep.reason is KeepReason.CANNOT_EDIT and (refusal := keep.registration.est_refusal)
    ]
    rows += [
        _refusal(f"{item.registration.file}:{item.registration.line}", words(LABEL_REFUSAL, item.reason), item.detail)
        for item in evaluation.refused_labels
    ]
    if not rows:
        return ()
    head = f"<details><summary>Could not be edited ({len(rows)})</summary>\n\n"
    return (Block(head, tuple(rows), "\n</details>\n\n"),)


def _refusal(where: str, reason: str, detail: str) -> str:
    return f"- {code(where, 300)}: {reason}{f' ({code(detail)})' if detail else ''}.\n"


def _kept(known: Lookup) -> tuple[Block, ...]:
    keeps = known.keeps
    if not keeps:
        return ()
    counts = Counter(keep.reason for keep in keeps)
    order = sorted(counts, key=lambda reason: (reason in _QUIET, list(KeepReason).index(reason)))
    rows = [
        f"- {counts[reason]}: {words(KEEP, reason)}{_why_none(known) if reason is KeepReason.NO_SAMPLE else ''}.\n"
        for reason in order
    ]
    return (Block(f"### Left alone\n\n{plural(len(keeps), 'estimate')} not changed:\n\n", tuple(rows), "\n"),)


def _why_none(known: Lookup) -> str:
    """Why registrations have no sample, counted: the reason that says most about each."""
    counts = Counter(main_reason(known.unused_by_key.get(key, ())) for key in _unmeasured(known))
    named = [f"{words(REJECTION, reason)}: {counts[reason]}" for reason in RejectionReason if counts[reason]]
    together = known.in_one_session
    untimed = sum(key in together and not known.unused_by_key.get(key) for key in _unmeasured(known))
    if untimed:
        named.append(f"ran in one session, without a time for each file: {untimed}")
    if counts[None] > untimed:
        named.append(f"not scheduled in these runs: {counts[None] - untimed}")
    return f" ({'; '.join(named)})"


def _unmeasured(known: Lookup) -> list[RegistrationKey]:
    return [keep.registration.key for keep in known.keeps if keep.reason is KeepReason.NO_SAMPLE]


def _held(known: Lookup) -> tuple[Block, ...]:
    held = [keep for keep in known.keeps if keep.reason not in _QUIET and keep.held is not None]
    if not held:
        return ()
    held.sort(key=lambda keep: -abs((keep.held or 0) - keep.registration.est_time))
    head = f"<details><summary>Held back ({len(held)})</summary>\n\n" + table_head(_HELD_COLUMNS)
    return (Block(head, tuple(map(_held_row, held)), "\n</details>\n\n"),)


def _held_row(keep: Keep) -> str:
    estimate = keep.estimate
    return row(
        (
            code(keep.registration.key.path),
            suite_cell(keep.registration),
            number(keep.registration.est_time),
            number(keep.held),
            f"{estimate.max_elapsed_s} s" if estimate else "-",
            str(estimate.nights) if estimate else "-",
            words(KEEP, keep.reason) + (f": {prose(keep.detail)}" if keep.detail else ""),
        )
    )


def _unused(known: Lookup, links: Links) -> tuple[Block, ...]:
    """Passes that were not used: counted by reason, and the slowest of each key where it has one.

    Of older nights only those are shown that took longer than what a change rests on.
    """
    judged = [item for item in known.rejections.values() if item.row.status is Status.PASSED]
    judged = [item for item in judged if item.reason is not RejectionReason.CARRIED_OVER]
    passes = [*judged, *known.spare.values()]
    if not passes:
        return ()
    counts = Counter(item.reason for item in passes)
    said = "; ".join(f"{words(REJECTION, reason)}: {counts[reason]}" for reason in RejectionReason if counts[reason])
    head = (
        f"<details><summary>Passes not used ({len(passes)})</summary>\n\n{said[0].upper() + said[1:]}.\n\n"
        + table_head(_UNUSED_COLUMNS)
    )
    rows = tuple(_unused_row(known, links, item) for item in _slowest_of_each([*judged, *_slower(known)]))
    return (Block(head, rows, "\n</details>\n\n"),)


def _slower(known: Lookup) -> list[Rejection]:
    """Passes of older nights that are slower than the slowest a change rests on."""
    return [
        item
        for change in known.changes
        for item in known.spare_by_key.get(change.registration.key, ())
        if (item.row.elapsed_s or 0) > change.estimate.max_elapsed_s
    ]


def _slowest_of_each(passes: Iterable[Rejection]) -> list[Rejection]:
    slowest: dict[tuple[str, str, str, RejectionReason], Rejection] = {}
    for item in passes:
        name = (item.row.path, item.row.backend, item.row.suite, item.reason)
        if name not in slowest or (item.row.elapsed_s or 0) > (slowest[name].row.elapsed_s or 0):
            slowest[name] = item
    return [slowest[name] for name in sorted(slowest)]


def _unused_row(known: Lookup, links: Links, item: Rejection) -> str:
    _, check = known.identity(item.row)
    return row(
        (
            code(item.row.path),
            f"{code(item.row.suite)} {code(item.row.backend, 40)}",
            f"{number(item.row.elapsed_s)} s",
            words(REJECTION, item.reason) + (f": {_detail(item.detail)}" if item.detail else ""),
            short(check.blob_at_head if check else None),
            short(check.blob_at_base if check else None),
            _job(known, links, item.row, str(item.row.run_id)),
        )
    )


def _detail(text: str) -> str:
    """What a rejection adds to its reason; a commit by its first digits."""
    return short(text) if re.fullmatch("[0-9a-f]{40}", text) else prose(text)


def _not_passed(known: Lookup, links: Links) -> tuple[Block, ...]:
    """Scheduled files that did not pass: counted, and the timed-out and failed ones named."""
    rows = [item for item in cited_rows(known.evaluation) if item.status is not Status.PASSED]
    if not rows:
        return ()
    counts = Counter(item.status for item in rows)
    said = ", ".join(f"{counts[status]} {words(STATUS, status)}" for status in Status if counts[status])
    named = [item for status in (Status.TIMEOUT, Status.FAILED) for item in rows if item.status is status]
    head = (
        f"<details><summary>Did not pass: {said}</summary>\n\n"
        "Only a pass measures: none of these times was used. Timed-out and failed files by name, "
        "the others in `evidence.csv`.\n\n"
    )
    shown = tuple(_failed_row(known, links, item) for item in named)
    return (Block(head + (table_head(_FAILED_COLUMNS) if named else ""), shown, "\n</details>\n\n"),)


def _failed_row(known: Lookup, links: Links, item: ScheduledFile) -> str:
    return row(
        (
            code(item.path),
            code(item.suite),
            words(STATUS, item.status),
            f"{number(item.elapsed_s)} s" if item.elapsed_s is not None else "-",
            number(item.logged_est_s),
            _job(known, links, item, str(item.job_id)),
        )
    )


def _job(known: Lookup, links: Links, item: ScheduledFile, shown: str) -> str:
    return link(shown, links.job(runs_by_id(known).get((item.run_id, item.attempt)), item))
