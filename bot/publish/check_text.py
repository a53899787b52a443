"""A nightly's check run as a whole: title, summary, conclusion, annotations.

The summary counts by suite what was measured, off, timed out, refused and not measured, shows the
partitions, and then what a pull request would say. Making the check run is another module's part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from bot.domain import CommitSha, Decision, Keep, KeepReason, Proposal, Suite, TaskRequest
from bot.publish.body_changes import changes
from bot.publish.body_left import left_alone, not_editable
from bot.publish.body_limits import limits
from bot.publish.body_partitions import partitions
from bot.publish.body_summary import headline, summary
from bot.publish.budget import CHECK_FIELD_LIMIT, Block, assemble
from bot.publish.check_names import NIGHTLY_CHECK, REEVALUATE, nightly_identity
from bot.publish.check_notes import NightlyCheck, Notes, nightly_notes
from bot.publish.links import Links
from bot.publish.lookup import Lookup, lookup
from bot.publish.markdown import code, plural, prose, row, table_head
from bot.publish.ports.checks import CheckButton, CheckConclusion, CheckReport
from bot.publish.visible import clipped

_TITLE_LIMIT = 255  # characters
_COLUMNS = (
    "Suite",
    ">Registrations",
    ">Measured",
    ">Coverage",
    ">Off",
    ">Held back",
    ">Timed out",
    ">Refused",
    ">Not measured",
)
_NO_EVIDENCE = "Nothing is published for this run, so its evidence stands here alone."


def nightly_report(
    check: NightlyCheck,
    request: TaskRequest,
    links: Links,
    fail_on: Literal["never", "timeout"],
    buttons: Sequence[CheckButton],
) -> CheckReport:
    """The check run of one nightly, ready to be put."""
    notes = nightly_notes(check)
    return CheckReport(
        name=NIGHTLY_CHECK,
        head_sha=check.run.head_sha,
        identity=nightly_identity(request),
        conclusion=conclusion(check, fail_on),
        title=nightly_title(check),
        summary=nightly_summary(check, notes, links),
        annotations=notes.annotations,
        details_url=links.run(check.run),
        buttons=tuple(buttons),
    )


def not_again(request: TaskRequest, name: str, detail: str) -> CheckReport:
    """The check run that says why a nightly could not be judged again."""
    why = f"{code(name)}{f': {prose(detail)}' if detail else ''}"
    return CheckReport(
        name=NIGHTLY_CHECK,
        head_sha=CommitSha(request.head_sha),
        identity=nightly_identity(request),
        conclusion=CheckConclusion.NEUTRAL,
        title="This run could not be judged again.",
        summary=f"The task of run {request.run_id}, attempt {request.attempt}, ended with {why}.\n",
        buttons=(REEVALUATE,),
    )


def conclusion(check: NightlyCheck, fail_on: Literal["never", "timeout"]) -> CheckConclusion:
    """Neutral: what is off is a proposal, no failure. A timeout fails where the repository wants that."""
    failed = fail_on == "timeout" and bool(check.timed_out)
    return CheckConclusion.FAILURE if failed else CheckConclusion.NEUTRAL


def nightly_title(check: NightlyCheck) -> str:
    """One line of plain text: what would change, and what timed out."""
    killed = len(check.timed_out)
    also = f" {plural(killed, 'file')} timed out." if killed else ""
    return clipped(headline(lookup(check.evaluation)) + also, _TITLE_LIMIT)


def nightly_summary(check: NightlyCheck, notes: Notes, links: Links, limit: int = CHECK_FIELD_LIMIT) -> str:
    """The summary as Markdown, at most `limit` bytes: whole rows are left out and counted."""
    known = lookup(check.evaluation)
    blocks = (
        *_counts(check, known, notes),
        *summary(known, links),
        *(() if links.evidence_csv else (Block(f"{' '.join((check.unpublished, _NO_EVIDENCE)).strip()}\n\n"),)),
        *limits(known, links),
        *partitions(known),
        *changes(known, links),
        *left_alone(known, links),
        *not_editable(known),
    )
    return assemble(blocks, limit)


def _counts(check: NightlyCheck, known: Lookup, notes: Notes) -> tuple[Block, ...]:
    """The table by suite, with the whole first, and what the annotations leave out."""
    by_suite: dict[Suite, list[Decision]] = {}
    for decision in check.evaluation.decisions:
        by_suite.setdefault(decision.registration.key.suite, []).append(decision)
    killed = Counter(item.suite for item in check.timed_out)
    unread = len(check.evaluation.refused_calls)  # calls whose suite is not known either
    whole = _row("**All**", _numbers(known, check.evaluation.decisions, len(check.timed_out), unread))
    rows = [
        _row(code(suite), _numbers(known, by_suite.get(suite, ()), killed[suite], 0))
        for suite in _suites(by_suite, killed)
    ]
    return (
        Block(
            table_head(_COLUMNS) + whole, tuple(rows), "\n" + _left_out(notes), "| {n} suites more | | | | | | | | |\n"
        ),
    )


def _suites(decided: Iterable[Suite], killed: Iterable[Suite]) -> list[Suite]:
    return sorted({*decided, *killed})


def _numbers(known: Lookup, decisions: Sequence[Decision], killed: int, unread: int) -> tuple[str, ...]:
    kept = [one for one in decisions if isinstance(one, Keep)]
    proposed = [one for one in decisions if isinstance(one, Proposal)]
    refused = [one for one in kept if one.reason is KeepReason.CANNOT_EDIT]
    not_proved = [one for one in proposed if one.registration.key in known.refused]
    held = [one for one in kept if one.held is not None and one.reason is not KeepReason.CANNOT_EDIT]
    measured = sum(bool(one.samples) for one in decisions)
    share = f"{measured * 100 // len(decisions)} %" if decisions else "-"
    counts = (len(proposed) - len(not_proved), len(held), killed, len(refused) + len(not_proved) + unread)
    return (str(len(decisions)), str(measured), share, *map(str, counts), str(len(decisions) - measured))


def _row(name: str, numbers: Sequence[str]) -> str:
    return row((name, *numbers))


def _left_out(notes: Notes) -> str:
    """What has no annotation although there is something to say."""
    said = []
    if notes.left_out:
        said.append(f"{plural(notes.left_out, 'annotation')} left out, the least urgent ones.")
    if notes.elsewhere:
        said.append(f"{plural(notes.elsewhere, 'registration')} with something to say, not at this commit: see below.")
    return " ".join(said) + "\n\n" if said else ""
