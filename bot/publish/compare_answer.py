"""The answer on somebody's pull request: what it writes beside what the nights measured, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import Keep, Proposal, RefusedCall, Registration
from bot.publish.answer import ROOM
from bot.publish.body_changes import suite_cell
from bot.publish.budget import Block, assemble
from bot.publish.comparison import Compared
from bot.publish.evidence_csv import number
from bot.publish.markdown import code, link, plural, row, table_head
from bot.publish.wording import EDIT_REFUSAL, KEEP, words

_COLUMNS = ("Test", "Suite", ">Written", ">Slowest pass", ">Passes", ">Nights", ">Limit", "The nights say")


def compare_answer(compared: Sequence[Compared], refused: Sequence[RefusedCall], said: str, review: str) -> str:
    """The table. `said` is what else there is to say; `review` the suggestions' address, "" without any."""
    suggested = f"Lines that the diff shows carry {link('suggestions', review)}.\n\n" if review else ""
    if not compared and not refused:
        return f"This pull request adds or changes no active registration that was asked about.{said}\n"
    off = sum(isinstance(one.decision, Proposal) for one in compared)
    head = (
        f"{plural(len(compared), 'registration')} compared with the nights, {off} off. "
        f"Nothing is pushed to this branch.{said}\n\n{suggested}"
    )
    blocks = [Block(head)]
    if compared:
        blocks.append(Block(table_head(_COLUMNS), tuple(map(_row, compared)), "\n"))
    if refused:
        blocks.append(Block("Calls that cannot be read:\n\n", tuple(map(_refusal, refused)), "\n"))
    return assemble(blocks, ROOM)


def _row(one: Compared) -> str:
    call, estimate = one.registration, one.decision.estimate
    return row(
        (
            f"{code(call.key.path)}, {_place(call)}",
            suite_cell(call),
            number(call.est_time),
            f"{estimate.max_elapsed_s} s" if estimate else "-",
            str(estimate.n) if estimate else "-",
            str(estimate.nights) if estimate else "-",
            f"{one.limit_s} s",
            _verdict(one),
        )
    )


def _place(call: Registration) -> str:
    """The literal's line, and its file where that is not the test itself."""
    return f"{code(call.source)}, line {call.est_line}" if call.source else f"line {call.est_line}"


def _verdict(one: Compared) -> str:
    """What the nights say to the written value."""
    out = []
    if isinstance(one.decision, Proposal):
        out.append(f"**{one.decision.after}**")
    elif isinstance(one.decision, Keep):
        held = f"; measured alone: {one.decision.held}" if one.decision.held is not None else ""
        out.append(words(KEEP, one.decision.reason) + held)
    if one.kills:
        out.append(f"the limit would have killed a pass of {one.known_pass_s} s")
    if one.earlier_pass_s:
        out.append(f"an earlier form of the file passed in {one.earlier_pass_s} s")
    if one.unknown_labels:
        out.append(f"unknown labels: {', '.join(map(code, one.unknown_labels[:10]))}")
    return "; ".join(out)


def _refusal(call: RefusedCall) -> str:
    where = f"{call.path}:{call.line}" if call.line else call.path
    return f"- {code(where, 300)}: {words(EDIT_REFUSAL, call.reason)}.\n"
