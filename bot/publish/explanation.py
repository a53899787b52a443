"""Everything behind one test's number: each sample and each rejection, and the decision with its reason.

One section a registration of the file. Log lines are linked where a published `lines.txt` holds
them; the job is linked in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from bot.domain import Decision, Evaluation, RefusedCall, Rejection, RejectionReason, Sample, ScheduledFile, TestPath
from bot.globs import matches
from bot.publish.answer import ROOM
from bot.publish.body_changes import suite_cell
from bot.publish.body_imports import said_of
from bot.publish.body_summary import runs_by_id
from bot.publish.budget import Block, assemble
from bot.publish.evidence_csv import number
from bot.publish.links import Links
from bot.publish.lookup import Lookup, log_name, lookup
from bot.publish.markdown import code, link, prose, row, table_head
from bot.publish.reasons import Reasons, reasons
from bot.publish.wording import EDIT_REFUSAL, IDENTITY, REJECTION, STATUS, words

_COLUMNS = ("Night", "Job", "Outcome", ">Seconds", "Counted", "File", "Log lines: plan, timing, status")
_NEAREST = 3
_PATHS_COMPARED = 5000


@dataclass(frozen=True, slots=True)
class LinePlaces:
    """Where cited log lines stand in a published `lines.txt`: address and line of the file, by (log, number)."""

    places: Mapping[tuple[str, int], tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> LinePlaces:
        """Read the places out of the file's parts, each by its address (its format: `bot.publish.lines`)."""
        found: dict[tuple[str, int], tuple[str, int]] = {}
        for address, part in files.items():
            source = ""
            for place, text in enumerate(part.decode(errors="replace").split("\n"), start=1):
                first, _, rest = text.partition("\t")
                if first == "log":
                    source = rest.split("\t", 1)[0]
                elif first.isascii() and first.isdigit() and len(first) <= 12:
                    found[source, int(first)] = address, place
        return cls(found)

    def cell(self, item: ScheduledFile, line: int | None) -> str:
        """A log line's number, linked to its text where that is published."""
        if line is None:
            return ""
        place = self.places.get((log_name(item.job_id), line))
        return link(str(line), f"{place[0]}#L{place[1]}") if place else str(line)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be explained: one path, and (a glob, "": all) which suites."""

    path: str
    suite: str = ""

    def names(self, decision: Decision) -> bool:
        """True for a registration that is asked about."""
        key = decision.registration.key
        return key.path == self.path and (not self.suite or matches(self.suite, key.suite))

    def refused(self, evaluation: Evaluation) -> list[RefusedCall]:
        """Calls of the file that could not be read."""
        return [call for call in evaluation.refused_calls if call.path == self.path]

    def stray(self, evaluation: Evaluation) -> list[Rejection]:
        """Measurements of the file that no registration of it matches."""
        return [one for one in evaluation.rejections if one.row.path == self.path and one.key is None]

    def known(self, evaluation: Evaluation) -> bool:
        """True where there is something to explain."""
        named = any(self.names(one) for one in evaluation.decisions)
        return named or bool(self.refused(evaluation)) or bool(self.stray(evaluation))


def explanation(evaluation: Evaluation, wanted: Wanted, links: Links, lines: LinePlaces) -> str:
    """The answer where something is known of the path."""
    known = lookup(evaluation)
    found = [one for one in evaluation.decisions if wanted.names(one)]
    refused, stray = wanted.refused(evaluation), wanted.stray(evaluation)
    blocks = [
        Block(f"{code(wanted.path, 300)}, against {code(evaluation.base)} at {code(evaluation.base_sha[:7])}:\n\n")
    ]
    blocks += said_of(known, TestPath(wanted.path))
    for decision in found:
        blocks += [Block(_decided(decision)), _measured(known, links, lines, _judged(known, decision))]
    if refused:
        blocks.append(Block("Calls that cannot be read:\n\n", tuple(map(_refusal, refused)), "\n"))
    if stray:
        blocks += [Block("### Measured without a registration\n\n"), _measured(known, links, lines, stray)]
    return assemble(blocks, ROOM)


def unknown(evaluation: Evaluation, wanted: Wanted) -> str:
    """The answer where nothing is known of the path, with the nearest that are registered."""
    paths = sorted({one.registration.key.path for one in evaluation.decisions})[:_PATHS_COMPARED]
    near = get_close_matches(wanted.path, paths, n=_NEAREST, cutoff=0.5)
    suite = f" in a suite like {code(wanted.suite)}" if wanted.suite else ""
    nearest = f" Nearest: {', '.join(map(code, near))}." if near else ""
    return f"There is no active registration of {code(wanted.path, 300)}{suite} at this base.{nearest}\n"


def _decided(decision: Decision) -> str:
    """The heading of one registration, what was decided, and why."""
    call, known = decision.registration, reasons(decision)
    out = [f"### {suite_cell(call)}, line {call.est_line}: `est_time={number(call.est_time)}`\n"]
    if known.why:
        out.append(f"**{known.verdict}:** {_why(known)}. {known.limit}.\n")
    else:
        out.append(f"**{known.verdict}.** {known.limit}.\n")
    if known.method:
        out.append(f"Rule {code(known.method)}: {known.measured}.\n")
    out += [f"{flag}.\n" for flag in known.flags]
    return "\n".join(out) + "\n"


def _why(known: Reasons) -> str:
    detail = f" ({prose(known.detail)})" if known.detail else ""
    return known.why + detail + (f"; {known.held}" if known.held else "")


def _judged(known: Lookup, decision: Decision) -> Sequence[Sample | Rejection]:
    key = decision.registration.key
    return [*known.used_by_key.get(key, ()), *known.unused_by_key.get(key, ())]


def _measured(known: Lookup, links: Links, lines: LinePlaces, found: Sequence[Sample | Rejection]) -> Block:
    """A row for each measurement, the newest night first."""
    if not found:
        return Block("Not scheduled in any run that was looked at.\n\n")
    ordered = sorted(found, key=lambda one: (-one.row.run_id, -one.row.attempt, one.row.job_id, one.row.plan_index))
    rows = tuple(_row(known, links, lines, one) for one in ordered)
    return Block(table_head(_COLUMNS), rows, "\n")


def _row(known: Lookup, links: Links, lines: LinePlaces, one: Sample | Rejection) -> str:
    item = one.row
    run = runs_by_id(known).get((item.run_id, item.attempt))
    night = f" ({one.night_at:%Y-%m-%d})" if one.night_at else ""
    attempt = f", attempt {item.attempt}" if item.attempt > 1 else ""
    shown = [lines.cell(item, line) for line in (item.plan_line, item.timing_line, item.status_line)]
    return row(
        (
            link(f"{item.run_id}{attempt}", links.run(run) if run else "") + night,
            link(str(item.job_id), links.job(run, item)),
            words(STATUS, item.status),
            number(item.elapsed_s) if item.elapsed_s is not None else "-",
            _counted(known, one),
            words(IDENTITY, one.identity) if one.identity else "-",
            ", ".join(cell for cell in shown if cell) or "-",
        )
    )


def _counted(known: Lookup, one: Sample | Rejection) -> str:
    if isinstance(one, Rejection):
        detail = f": {prose(one.detail)}" if one.detail else ""
        return f"no: {words(REJECTION, one.reason)}{detail}"
    return "yes" if known.used(one.row) else f"no: {words(REJECTION, RejectionReason.OLDER_NIGHT)}"


def _refusal(call: RefusedCall) -> str:
    place = f"line {call.line}" if call.line else "the file"
    return f"- {place}: {words(EDIT_REFUSAL, call.reason)}{f' ({code(call.detail)})' if call.detail else ''}.\n"
