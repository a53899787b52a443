"""The partitions of a report: each suite packed before and after, what it leaves idle, what would do; label totals."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import LabelTotal, MatrixPair, PartitionLoad, SuitePartitions
from bot.publish.body_changes import arrow
from bot.publish.budget import Block
from bot.publish.evidence_csv import number
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, plural, prose, row, table_head
from bot.publish.wording import NOT_PACKED, words

_RANKS_SHOWN = 8
_COLUMNS = (
    "Suite",
    ">Ranks",
    "Seconds of each rank",
    ">Makespan",
    ">Imbalance",
    ">Idle a night",
    ">Idle GPU-seconds",
    "Longest test",
    ">Files",
    ">Not measured",
    "Run",
)
_LABEL_COLUMNS = ("Label", ">Tests", ">Literals changed", ">Estimates together")
_HEAD = (
    "### Partitions\n\n"
    "Each suite's files as the run in the last column scheduled them, packed by estimate, longest first, as its "
    "runner does; scored in measured seconds (slowest pass; a file that is not measured counts in proportion to its "
    "estimate, as the measured ones came out). Makespan: the fullest rank. Imbalance: makespan ÷ mean. Idle: what "
    "ranks wait for the fullest, together, and times the GPUs that the suite's name says. No number of ranks is "
    "faster than the longest test.\n\n"
)


def partitions(known: Lookup) -> tuple[Block, ...]:
    """Every partitioned suite packed at the present and at the proposed literals."""
    found = sorted(known.evaluation.partitions, key=lambda item: (item.suite, item.backend))
    refused = tuple(
        f"- {code(item.suite)}: not planned, {words(NOT_PACKED, item.reason)}"
        f"{f' ({prose(item.detail)})' if item.detail else ''}.\n"
        for item in sorted(known.evaluation.not_packed, key=lambda item: (item.suite, item.backend))
    )
    return (*_packed(found), *((Block("", refused, "\n"),) if refused else ()))


def totals(found: Sequence[LabelTotal]) -> tuple[Block, ...]:
    """What the tests of each label are estimated to take together, where that changes."""
    if not found:
        return ()
    head = (
        f"<details><summary>Estimates by label ({len(found)})</summary>\n\n"
        "The sum of the literals of all active tests that carry the label.\n\n" + table_head(_LABEL_COLUMNS)
    )
    return (Block(head, tuple(map(_total_row, found)), "\n</details>\n\n"),)


def matrices(pairs: Sequence[MatrixPair]) -> tuple[Block, ...]:
    """Pairs of long tests that sweep the same cells, with the command that says what a split would save."""
    if not pairs:
        return ()
    head = (
        "### Matrices\n\n"
        "Tests among the longest of their suite, or above the default limit, that sweep the same cells as the file "
        "beside them. If each ran half of them, both would still see every level; no list is ever edited.\n\n"
    )
    return (Block(head, tuple(map(_pair, pairs)), "\n"),)


def _pair(pair: MatrixPair) -> str:
    first, second = pair.slowest_s
    other = f" and {second} s" if second is not None else ""
    return (
        f"- {plural(pair.cells, 'cell')}, {first} s{other}: "
        f"{code(f'recalibrate matrix {pair.first} {pair.second}', 500)}.\n"
    )


def _packed(found: Sequence[SuitePartitions]) -> tuple[Block, ...]:
    if not found:
        return ()
    advice = tuple(text for item in found for text in (_over(item), _supported(item)) if text)
    table = Block(_HEAD + table_head(_COLUMNS), tuple(map(_row, found)), "\n")
    return (table, Block("", advice, "\n")) if advice else (table,)


def _row(item: SuitePartitions) -> str:
    before, after = item.before, item.after
    return row(
        (
            f"{code(item.suite)} {code(item.backend, 40)}",
            str(item.size),
            arrow(_ranks(before), _ranks(after)),
            arrow(number(round(before.makespan_s)), number(round(after.makespan_s)), " s"),
            arrow(f"{before.imbalance:.2f}", f"{after.imbalance:.2f}"),
            arrow(number(round(before.idle_s)), number(round(after.idle_s)), " s"),
            arrow(number(round(before.idle_s * item.gpus)), number(round(after.idle_s * item.gpus)))
            if item.gpus
            else "-",
            f"{code(item.longest)} {number(round(item.longest_s))} s" if item.longest else "-",
            str(sum(len(members) for members in after.members)),
            str(len(item.unmeasured)),
            str(item.run_id),
        )
    )


def _ranks(load: PartitionLoad) -> str:
    shown = ", ".join(number(round(seconds)) for seconds in load.measured_s[:_RANKS_SHOWN])
    left_out = len(load.measured_s) - _RANKS_SHOWN
    return f"{shown} and {left_out} more" if left_out > 0 else shown


def _over(item: SuitePartitions) -> str:
    """Which ranks are over the budget."""
    before, after = item.before.over(item.budget_s), item.after.over(item.budget_s)
    if not before and not after:
        return ""
    return (
        f"- {code(item.suite)}: over the budget of {item.budget_s} s: "
        f"{arrow(_numbered(before), _numbered(after))} (ranks from 0).\n"
    )


def _numbered(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:_RANKS_SHOWN]))
    return (f"{shown} and more" if len(ranks) > _RANKS_SHOWN else f"rank {shown}") if ranks else "none"


def _supported(item: SuitePartitions) -> str:
    """How many ranks the measured seconds ask for, where that is another number.

    Without a budget nobody asked for more: a prediction a little above the present one is no reason for machines.
    """
    allowed = f"the budget of {item.budget_s} s" if item.budget_s else "what the fullest rank takes at present"
    if not item.longest or (item.supported and item.supported.ranks == item.size):
        return ""
    if not item.budget_s and (item.supported is None or item.supported.ranks > item.size):
        return ""
    if item.supported is None:
        bound = f"{code(item.longest)} alone takes {number(round(item.longest_s))} s"
        why = bound if item.budget_s and item.longest_s > item.budget_s else "the estimates pack too unevenly"
        return f"- {code(item.suite)}: no number of ranks stays within {allowed}: {why}.\n"
    count, makespan = item.supported.ranks, number(round(item.supported.makespan_s))
    return (
        f"- {code(item.suite)}: {plural(count, 'rank')} would do instead of {item.size}: at the proposed literals the "
        f"fullest takes {makespan} s, within {allowed}.\n"
    )


def _total_row(total: LabelTotal) -> str:
    return row(
        (
            f"{code(total.label, 80)} {code(total.backend, 40)}",
            str(total.tests),
            str(total.changed),
            arrow(number(round(total.before_s)), number(round(total.after_s)), " s"),
        )
    )
