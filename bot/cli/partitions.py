"""`recalibrate partitions`: how suites pack at the present and at the proposed literals. Prints, writes nothing."""

from __future__ import annotations

from bot.cli.measuring import Sources, Tell, measure
from bot.publish.body_partitions import partitions, totals
from bot.publish.budget import BODY_LIMIT, assemble
from bot.publish.lookup import lookup

NONE = "No suite of these runs is partitioned.\n"


async def partitions_text(sources: Sources, tell: Tell) -> str:
    """The tables as Markdown.

    Raises:
        UserError: something a person can fix, with the way.
    """
    evaluation = (await measure(sources, tell)).evaluation
    blocks = (*partitions(lookup(evaluation)), *totals(evaluation.label_totals))
    return assemble(blocks, BODY_LIMIT) or NONE
