"""What a comment command is answered with where something was evaluated: one evaluation, short or in full.

The pull request itself carries the proof; here stands what a person asked for and what became of
it. Which sentence says what became of it is the caller's. No line of these texts is a command.
"""

from __future__ import annotations

from bot.domain import Evaluation
from bot.publish.body_changes import changes
from bot.publish.body_labels import labels
from bot.publish.body_left import left_alone, not_editable
from bot.publish.body_summary import headline, runs_by_id, short
from bot.publish.budget import BODY_LIMIT, Block, assemble
from bot.publish.links import Links
from bot.publish.lookup import Lookup, lookup
from bot.publish.markdown import code, link, plural, prose

ROOM = BODY_LIMIT - 1500  # what the marker and the last sentences of an answer may take
_RUNS_NAMED = 20


def short_answer(evaluation: Evaluation, links: Links, said: str) -> str:
    """What became of it and what changes, in a few lines: the pull request shows the rest."""
    return assemble((_opening(lookup(evaluation), links, said),), ROOM)


def full_answer(evaluation: Evaluation, links: Links, said: str) -> str:
    """The same with the table of changes, what is left alone and why; whole rows are left out where it is too long."""
    known = lookup(evaluation)
    blocks = (
        _opening(known, links, said),
        *changes(known, links),
        *labels(known),
        *left_alone(known, links),
        *not_editable(known),
    )
    return assemble(blocks, ROOM)


def _opening(known: Lookup, links: Links, said: str) -> Block:
    evaluation = known.evaluation
    out = [f"{said}\n"]
    if evaluation.report_only:
        out.append(f"> **Report only:** {prose(evaluation.report_only.rstrip('. '))}. Nothing is edited.\n")
    if evaluation.narrowed:
        out.append(f"> Narrowed to {prose(evaluation.narrowed)}: nothing else is changed.\n")
    out += [f"{prose(note)}\n" for note in evaluation.notes]
    out.append(f"**{headline(known).replace('est_time', '`est_time`')}**\n")
    out.append(
        f"{_measured(known, links)} Policy {code(evaluation.policy.name)}; base {code(evaluation.base)} at "
        f"{short(evaluation.base_sha)}; {plural(evaluation.registrations, 'registration')} looked at.\n\n"
    )
    return Block("\n".join(out))


def _measured(known: Lookup, links: Links) -> str:
    """The runs it rests on, the newest last."""
    runs = [run for _, run in sorted(runs_by_id(known).items())]
    named = [
        link(f"{run.run_id}{f', attempt {run.attempt}' if run.attempt > 1 else ''}", links.run(run))
        for run in runs[-_RUNS_NAMED:]
    ]
    left_out = f"{len(runs) - len(named)} earlier, " if len(runs) > len(named) else ""
    return f"Runs: {left_out}{', '.join(named) or 'none'}."
