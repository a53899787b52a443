"""The text of a pull request: one evaluation as Markdown for a CI maintainer who wants proof.

`report` puts the parts in their order and fits them into GitHub's limit. Each part is built by a
`body_*` module; deciding, editing and posting happen elsewhere.
"""

from __future__ import annotations

from collections import Counter

from bot.domain import Evaluation, LogNote
from bot.publish.body_changes import changes
from bot.publish.body_checks import identity
from bot.publish.body_imports import imports
from bot.publish.body_labels import labels, suggestions
from bot.publish.body_left import left_alone, not_editable
from bot.publish.body_limits import limits
from bot.publish.body_partitions import matrices, partitions, totals
from bot.publish.body_summary import summary
from bot.publish.budget import BODY_LIMIT, Block, assemble, size
from bot.publish.links import Links
from bot.publish.lookup import Lookup, counted_jobs, lookup
from bot.publish.markdown import code, plural, prose
from bot.publish.visible import visible
from bot.publish.wording import LOG_NOTE, words

_END = "<!-- /recalibrate -->\n"
_COMMAND_LIMIT = 2000  # characters
_RUNS_NAMED = 20


def report(evaluation: Evaluation, links: Links, limit: int = BODY_LIMIT) -> str:
    """The whole text, at most `limit` bytes (and so at most as many characters).

    Where it would be longer, whole rows are left out, the smallest changes first, and counted.
    With `links.marker` it stands between two invisible comments, outside of which text is a person's.
    """
    known = lookup(evaluation)
    blocks = (
        *((Block(f"{links.intro}\n\n"),) if links.intro else ()),
        *summary(known, links),
        *changes(known, links),
        *labels(known),
        *identity(known),
        *imports(known),
        *partitions(known),
        *totals(known.evaluation.label_totals),
        *limits(known, links),
        *matrices(known.evaluation.matrix_pairs),
        *left_alone(known, links),
        *not_editable(known),
        *suggestions(known),
        *_notes(known),
        _recompute(known, links),
    )
    start, end = (f"{links.marker}\n", _END) if links.marker else ("", "")
    return start + assemble(blocks, limit - size(start) - size(end)) + end


def _notes(known: Lookup) -> tuple[Block, ...]:
    """What the logs and the evaluation say about themselves."""
    jobs = counted_jobs(known.evaluation)
    seen = Counter(note for _, job in jobs for note in job.notes)
    carried = sum(len(run.jobs) for run in known.evaluation.runs) - len(jobs)
    rows = [f"- {plural(seen[note], 'job')}: {words(LOG_NOTE, note)}.\n" for note in LogNote if seen[note]]
    if carried:
        rows.append(f"- {plural(carried, 'job')} carried over from an earlier attempt, counted there.\n")
    rows += [
        f"- Run {run.run.run_id}: a log of {', '.join(map(code, sorted(run.partial)[:20]))} could not be had. "
        "Its passes count for raises, not towards the nights that a lower needs.\n"
        for run in known.evaluation.runs
        if run.partial
    ]
    rows += [f"- {prose(note)}\n" for note in known.evaluation.notes]
    if not rows:
        return ()
    return (Block(f"<details><summary>Notes ({len(rows)})</summary>\n\n", tuple(rows), "\n</details>\n\n"),)


def _recompute(known: Lookup, links: Links) -> Block:
    """The command that makes this report again."""
    command = links.recompute or _local_command(known.evaluation)
    fenced = visible(command).replace("`", "\\x60")[:_COMMAND_LIMIT]
    narrowed = known.evaluation.narrowed
    return Block(
        "### Recompute\n\n"
        f"With the complete job logs of each run in a directory of its own:\n\n```\n{fenced}\n```\n\n"
        "`manifest.json` holds the SHA-256 of every log; `lines.txt` holds the log lines that the rows cite.\n"
        + ("The command proposes for every registration, not for the narrowed ones alone.\n" if narrowed else "")
    )


def _local_command(evaluation: Evaluation) -> str:
    given = [f"run-{item.run.run_id}-attempt-{item.run.attempt}" for item in evaluation.runs]
    artifacts = " ".join(f"--artifacts {name}" for name in given[:_RUNS_NAMED])
    rest = f" … ({len(given) - _RUNS_NAMED} more)" if len(given) > _RUNS_NAMED else ""
    return (
        f"recalibrate local --repo . --base {evaluation.base_sha} {artifacts}{rest} "
        f"--policy {evaluation.policy.name} --out recalibrate-out"
    )
