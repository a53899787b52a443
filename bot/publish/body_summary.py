"""The opening of a report: what changes, what it rests on, and the runs that were measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.domain import Evaluation, JobEvidence, OwnHistory, Run, RunEvidence, RunId, Status
from bot.publish.budget import Block
from bot.publish.links import Links
from bot.publish.lookup import Lookup, counted_jobs
from bot.publish.markdown import code, link, plural, prose, row, table_head
from bot.publish.policy_line import policy_line

_RUN_COLUMNS = ("Run", "Head", "Conclusion", ">Scheduled", ">Passed", ">Used", "Commit the jobs checked out")


def summary(known: Lookup, links: Links) -> tuple[Block, ...]:
    """The first paragraph and the table of runs."""
    return (Block(_opening(known, links)), _runs(known, links))


def runs_by_id(known: Lookup) -> Mapping[tuple[RunId, int], Run]:
    """Run attempts by their identity."""
    return {(item.run.run_id, item.run.attempt): item.run for item in known.evaluation.runs}


def short(sha: str | None) -> str:
    """The first seven digits of a SHA as a code span, `-` where there is none."""
    return code(sha[:7]) if sha else "-"


def headline(known: Lookup) -> str:
    """What changes, in one or two sentences of plain text."""
    changes, labels = known.changes, known.label_changes
    if not changes and not labels:
        return _nothing_changes(known)
    raised = sum(change.action == "raise" for change in changes)
    lowered = len(changes) - raised
    would = bool(known.evaluation.report_only)
    estimates = [
        f"{'would ' if would else ''}{verb if would else verb + 's'} {count}"
        for verb, count in (("raise", raised), ("lower", lowered))
        if count
    ]
    said = [f"{' and '.join(estimates)} est_time {_literals(len(changes))}"] if changes else []
    if labels:
        said.append(f"{'would add' if would else 'adds'} labels to {plural(len(labels), 'call')}")
    return " ".join(sentence[0].upper() + sentence[1:] + "." for sentence in said)


def _nothing_changes(known: Lookup) -> str:
    """Says whether the literals are right, or nothing could be learned about them."""
    passed = sum(row.status is Status.PASSED for _, job in counted_jobs(known.evaluation) for row in job.rows)
    if known.passes_used or not known.evaluation.runs:
        return "No literal has to change."
    if not passed:
        return "No literal is changed: no scheduled file passed."
    return f"No literal is changed: none of the passes could be used ({passed})."


def _literals(count: int) -> str:
    return "literal" if count == 1 else "literals"


def _opening(known: Lookup, links: Links) -> str:
    evaluation = known.evaluation
    nights = len({item.run.run_id for item in evaluation.runs})
    out = [f"**{headline(known).replace('est_time', '`est_time`')}**\n"]
    if evaluation.report_only:
        out.append(f"> **Report only:** {prose(evaluation.report_only.rstrip('. '))}. Nothing is edited.\n")
    if evaluation.narrowed:
        out.append(f"> Narrowed to {prose(evaluation.narrowed)}: nothing else is changed.\n")
    out.append(
        f"Measured in {plural(nights, 'night')} of {code(evaluation.repository)}: "
        f"{plural(known.passes_used, 'pass', 'passes')} used. "
        f"Policy {policy_line(evaluation.policy)}. "
        f"Base {_base(evaluation)}, "
        f"{plural(evaluation.registrations, 'registration')}{_unmatched(evaluation)}.\n"
    )
    files = len({edit.path for edit in evaluation.edits})
    if files:
        out.append(
            f"{plural(files, 'file')} changed. Edit check: with the changed literals masked, "
            "each file is byte for byte what it was.\n"
        )
    if evaluation.own_history:
        out.append(_own_history(evaluation.own_history))
    out.append(f"Evidence: {links.evidence()}.\n\n")
    return "\n".join(out)


def _unmatched(evaluation: Evaluation) -> str:
    """Registrations that these runs say nothing about, counted where a person reads first."""
    active = len({decision.registration.key for decision in evaluation.decisions})
    count = len(evaluation.unmatched)
    return f", unmatched: {count} of {active} active ones (no log of these runs plans them)" if count else ""


def _own_history(found: OwnHistory) -> str:
    """The backtest's verdict in one line: ours, and the plain rule's in brackets."""
    return (
        f"Over the last {found.nights} nights of this repository {code(found.policy)} would have made "
        f"{found.edits[0]:.1f} edits an update (`strict` {found.edits[1]:.1f}), killed {100 * found.killed[0]:.2f} % "
        f"of the runs ({100 * found.killed[1]:.2f} %) and packed to {found.makespan[0]:.3f} of the least possible "
        f"makespan ({found.makespan[1]:.3f}).\n"
    )


def _base(evaluation: Evaluation) -> str:
    """The base as it was named, with its commit where the name does not say it."""
    name, sha = evaluation.base, evaluation.base_sha
    return short(sha) if len(name) >= 7 and sha.startswith(name) else f"{code(name)} at {short(sha)}"


def _runs(known: Lookup, links: Links) -> Block:
    jobs: dict[tuple[RunId, int], list[JobEvidence]] = {}
    for run, job in counted_jobs(known.evaluation):
        jobs.setdefault((run.run.run_id, run.run.attempt), []).append(job)
    rows = tuple(
        _run_row(known, links, run, jobs.get((run.run.run_id, run.run.attempt), [])) for run in known.evaluation.runs
    )
    head = "### Runs\n\n" + table_head(_RUN_COLUMNS) if rows else ""
    return Block(head, rows, "\n" if rows else "")


def _run_row(known: Lookup, links: Links, evidence: RunEvidence, jobs: Sequence[JobEvidence]) -> str:
    run = evidence.run
    rows = [item for job in jobs for item in job.rows]
    night = f" ({run.created_at:%Y-%m-%d})" if run.created_at else ""
    attempt = f", attempt {run.attempt}" if run.attempt > 1 else ""
    return row(
        (
            link(f"{run.run_id}{attempt}", links.run(run)) + night,
            short(run.head_sha),
            code(run.conclusion) if run.conclusion else "-",
            str(len(rows)),
            str(sum(item.status is Status.PASSED for item in rows)),
            str(sum(known.used(item) for item in rows)),
            _tested(run, jobs),
        )
    )


def _tested(run: Run, jobs: Sequence[JobEvidence]) -> str:
    """How the commit that each job with rows checked out relates to the run's head."""
    counts = Counter(
        "not shown"
        if job.tested_sha is None
        else f"one of {run.measures}"
        if run.measures
        else "the head"
        if job.tested_sha == run.head_sha
        else "another commit"
        for job in jobs
        if job.rows
    )
    return ", ".join(f"{what}: {plural(counts[what], 'job')}" for what in sorted(counts)) or "-"
