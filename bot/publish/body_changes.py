"""The changed estimates of a report: the table, and what a reviewer should look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.domain import Decision, Flag, HostMedian, Proposal, Registration, Sample, Status, TestPath
from bot.publish.body_summary import runs_by_id
from bot.publish.budget import Block
from bot.publish.evidence_csv import number
from bot.publish.links import Links
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, link, plural, row, table_head
from bot.publish.wording import FLAG, REJECTION, words

_COLUMNS = (
    "Test",
    "Suite",
    ">est_time",
    ">Slowest pass",
    "Slowest of each night (s)",
    ">Passes",
    ">Nights",
    ">Drift",
    ">Timeout limit",
)
_NIGHTS_SHOWN = 4
_NAMES_SHOWN = 20
_FLAGS_OF_KEPT = frozenset(
    {Flag.PASSES_ONLY_BY_LITERAL, Flag.NO_PASS_ONLY_TIMEOUTS, Flag.UNCONFIRMED_PASS, Flag.OUTLIER_HOST}
)  # a person should look anyway
_MORE = "\n{n} smaller changes more; all of them are in `evidence.csv`.\n"


def changes(known: Lookup, links: Links) -> tuple[Block, ...]:
    """The table, the largest change first, and the flags, those of literals that stay among them."""
    found = known.changes
    if not found:
        return _flags(known, found)
    methods = sorted({change.estimate.method for change in found})
    head = (
        "### Estimates\n\n"
        f"Rule: {', '.join(map(code, methods[:5]))}. "
        "Drift: the newest night's slowest pass minus that of the night before. "
        "Timeout limit: what the suite runner allows the file at that literal.\n\n"
    )
    rows = tuple(_change_row(known, links, change) for change in found)
    return (Block(head + table_head(_COLUMNS), rows, "\n", _MORE), *_flags(known, found))


def suite_cell(registration: Registration) -> str:
    """Suite and backend of a registration."""
    return f"{code(registration.key.suite)} {code(registration.key.backend, 40)}"


def arrow(before: str, after: str, unit: str = "") -> str:
    """`before → after`, or the one value where both are equal."""
    return f"{before} → {after}{unit}" if before != after else f"{after}{unit}"


def signed(value: int) -> str:
    """Seconds with their sign; zero has none."""
    return f"{value:+d} s" if value else "0 s"


def names(paths: Iterable[TestPath]) -> str:
    """Some test files by name, the rest counted."""
    ordered = sorted(set(paths))
    shown = ", ".join(map(code, ordered[:_NAMES_SHOWN]))
    left_out = len(ordered) - _NAMES_SHOWN
    return f"{shown} and {left_out} more" if left_out > 0 else shown


def _change_row(known: Lookup, links: Links, change: Proposal) -> str:
    estimate = change.estimate
    return row(
        (
            code(change.registration.key.path),
            suite_cell(change.registration),
            arrow(number(change.registration.est_time), f"**{change.after}**"),
            f"{estimate.max_elapsed_s} s",
            _by_night(known, links, change.samples),
            str(estimate.n),
            str(estimate.nights),
            signed(estimate.drift_s) if estimate.nights > 1 else "-",
            arrow(str(change.timeout_before_s), str(change.timeout_after_s), " s"),
        )
    )


def _by_night(known: Lookup, links: Links, samples: Sequence[Sample]) -> str:
    """The slowest pass of each night, oldest first, each linked to its job."""
    slowest: dict[int, Sample] = {}
    for sample in samples:
        held = slowest.get(sample.row.run_id)
        if held is None or sample.elapsed_s > held.elapsed_s:
            slowest[sample.row.run_id] = sample
    runs = runs_by_id(known)
    ordered = [slowest[run_id] for run_id in sorted(slowest)]
    shown = [
        link(str(sample.elapsed_s), links.job(runs.get((sample.row.run_id, sample.row.attempt)), sample.row))
        for sample in ordered[-_NIGHTS_SHOWN:]
    ]
    return ", ".join((["…"] if len(ordered) > _NIGHTS_SHOWN else []) + shown)


def _flags(known: Lookup, found: Sequence[Proposal]) -> tuple[Block, ...]:
    rows = [
        f"- {words(FLAG, flag)} ({len(flagged)}): {names(one.registration.key.path for one in flagged)}.\n"
        for flag in Flag
        if (flagged := _flagged(known, found, flag))
    ]
    rows += [f"- {code(one.registration.key.path)}: {one.detail}.\n" for one in found[:_NAMES_SHOWN] if one.detail]
    rows += _outlier_hosts(known)
    rows += [text for change in found if (text := _limit_below_pass(known, change))]
    return (Block("### Look at these\n\n", tuple(rows), "\n"),) if rows else ()


def _flagged(known: Lookup, found: Sequence[Proposal], flag: Flag) -> list[Decision]:
    kept = known.keeps if flag in _FLAGS_OF_KEPT else ()
    decisions: tuple[Decision, ...] = (*found, *kept)
    return [one for one in decisions if flag in one.flags]


def _outlier_hosts(known: Lookup) -> list[str]:
    """The runners that are far off the others, each with the tests it is named for."""
    by_host: dict[str, list[tuple[TestPath, HostMedian]]] = {}
    for decision in known.evaluation.decisions:
        for host in decision.estimate.outliers if decision.estimate else ():
            by_host.setdefault(host.runner_name, []).append((decision.registration.key.path, host))
    return [
        f"- Runner {code(name)}: {'; '.join(_host(path, host) for path, host in found[:3])}"
        f"{f' and {len(found) - 3} more' if len(found) > 3 else ''}.\n"
        for name, found in sorted(by_host.items())[:_NAMES_SHOWN]
    ]


def _host(path: TestPath, host: HostMedian) -> str:
    return f"{code(path)} in {host.median_s:g} s, the others in {host.others_s:g} s"


def _limit_below_pass(known: Lookup, change: Proposal) -> str:
    """A sentence where a pass of this key that was not used took longer than the new limit allows."""
    passes = [
        item
        for passes_of in (known.unused_by_key, known.spare_by_key)
        for item in passes_of.get(change.registration.key, ())
        if item.row.status is Status.PASSED and (item.row.elapsed_s or 0) > change.timeout_after_s
    ]
    if not passes:
        return ""
    worst = max(passes, key=lambda item: item.row.elapsed_s or 0)
    return (
        f"- The new limit of {change.timeout_after_s} s is below {plural(len(passes), 'pass', 'passes')} "
        f"that {'was' if len(passes) == 1 else 'were'} not used: {code(change.registration.key.path)} took "
        f"{worst.row.elapsed_s} s in run {worst.row.run_id} ({words(REJECTION, worst.reason)}).\n"
    )
