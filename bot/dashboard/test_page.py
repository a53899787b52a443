"""The page of one test: every measurement of it, what was decided last, and why. Pure: a view in, HTML out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite

from bot.dashboard import addresses
from bot.dashboard.letters import why_not
from bot.dashboard.plots.drawing import Plot, Words
from bot.dashboard.plots.samples import Point, Step, samples_plot
from bot.dashboard.templates import Frame, render
from bot.dashboard.views import SPANS, KeyView
from bot.domain import RegistrationKey, Status, TimeoutRule
from bot.overview import JudgedTiming
from bot.publish.links import Links
from bot.publish.reasons import reasons
from bot.publish.wording import IDENTITY, STATUS, words
from bot.records.repositories import Repository
from bot.repo_config.runner import Timeout

KIND = {Status.PASSED: "good", Status.TIMEOUT: "bad", Status.FAILED: "bad"}


@dataclass(frozen=True, slots=True)
class Line:
    """A cited log line: what it shows, its number, and where its text stands ("": nowhere)."""

    role: str
    number: int
    address: str


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement as the table shows it."""

    anchor: str
    night_at: datetime | None
    run: str
    run_address: str
    host: str
    job_address: str
    status: str
    kind: str
    elapsed_s: int | None
    literal: float
    limit_s: int | None  # None where the literal has none
    letter: str  # "": it counts
    why_not: str
    detail: str
    decides: bool
    identity: str
    lines: tuple[Line, ...]


def render_test(view: KeyView, frame: Frame) -> str:
    """The whole page."""
    rows = tuple(_row(view, item) for item in view.page.rows)
    nights = len({item.timing.row.run_id for item in view.page.rows})
    return render(
        "test.html",
        frame,
        view=view,
        rows=rows,
        nights=nights,
        plot=_plot(view, rows),
        spans=_spans(view),
        base=_base(view),
        undated=sum(row.night_at is None for row in rows),
        decided=reasons(view.last.decision) if view.last else None,
        newer=_part(view, view.nights.offset - view.nights.limit) if view.nights.offset else "",
        older=_part(view, view.nights.offset + view.nights.limit) if view.page.more else "",
    )


def _base(view: KeyView) -> str:
    """The address of the commit that the last decision is about, "" where it is unknown."""
    return Links(server=view.server).commit(view.repository.full_name, view.last.head.base_sha) if view.last else ""


def _part(view: KeyView, offset: int) -> str:
    here = addresses.test(view.repository.repository_id, view.key)
    show = view.nights.limit if view.nights.limit != SPANS[0] else 0
    return addresses.part(here, {"nights": max(0, offset), "show": show}, "measurements")


def _spans(view: KeyView) -> tuple[tuple[int, str], ...]:
    """How many nights may be shown at once, with their addresses, "" for the choice that stands; none without need."""
    here = addresses.test(view.repository.repository_id, view.key)
    if not view.page.more and not view.nights.offset and view.nights.limit == SPANS[0]:
        return ()
    asked = {span: {"show": span} if span != SPANS[0] else {} for span in SPANS}
    return tuple(
        (span, "" if span == view.nights.limit else addresses.part(here, asked[span], "measurements")) for span in SPANS
    )


def _row(view: KeyView, item: JudgedTiming) -> Row:
    row, links, verdict = item.timing.row, Links(server=view.server), item.verdict
    attempt = f", attempt {row.attempt}" if row.attempt > 1 else ""
    letter, reason = why_not(item)
    return Row(
        anchor=f"row-{row.run_id}-{row.attempt}-{row.job_id}-{row.plan_index}",
        night_at=item.timing.night_at,
        run=f"{row.run_id}{attempt}",
        run_address=links.run(item.run),
        host=row.runner_name,
        job_address=links.job(item.run, row),
        status=words(STATUS, row.status),
        kind=KIND.get(row.status, "quiet"),
        elapsed_s=row.elapsed_s,
        literal=row.logged_est_s,
        limit_s=_limit(_rule(view, item), row.logged_est_s),
        letter=letter,
        why_not=reason,
        detail=verdict.detail if verdict else "",
        decides=item.decides,
        identity=words(IDENTITY, verdict.identity) if verdict and verdict.identity else "",
        lines=_lines(view.repository, item),
    )


def _rule(view: KeyView, item: JudgedTiming) -> TimeoutRule:
    """As the configuration had it when the row was first looked at; today's where that is not known."""
    then = Timeout.of_stamp(item.policy.parameters) if item.policy else None
    return then.rule(view.key.suite) if then else view.rule


def _limit(rule: TimeoutRule, literal: float) -> int | None:
    return rule.effective(literal) if isfinite(literal * rule.factor) else None


def _lines(repository: Repository, item: JudgedTiming) -> tuple[Line, ...]:
    row = item.timing.row
    cited = (("plan", row.plan_line), ("timing", row.timing_line), ("status", row.status_line))
    page = addresses.log(repository.repository_id, row.run_id, row.attempt, row.job_id) if item.lines_kept else ""
    return tuple(Line(role, number, page and f"{page}#L{number}") for role, number in cited if number is not None)


def _plot(view: KeyView, rows: Sequence[Row]) -> Plot | None:
    """None where no row has a date."""
    points = [_point(row, row.night_at) for row in rows if row.night_at is not None]
    return samples_plot(points, _steps(rows), _words(view.key, points)) if points else None


def _point(row: Row, at: datetime) -> Point:
    """The link goes to the log at the line that says most; without a kept line to the job, at last to the table."""
    line = next((line for line in reversed(row.lines) if line.role in ("timing", "plan")), None)
    seconds = f"{row.elapsed_s} s" if row.elapsed_s is not None else "no time"
    counted = f"not counted: {row.why_not}" if row.letter else "counted"
    place = f"log line {line.number}" if line else "no log line"
    return Point(
        at=at,
        elapsed_s=row.elapsed_s,
        host=row.host,
        told=f"{at:%Y-%m-%d %H:%M}: {seconds} on {row.host or 'a runner not named'}, {row.status}, {counted}; {place}",
        address=(line.address if line else "") or row.job_address or f"#{row.anchor}",
        letter=row.letter,
        reason=row.why_not,
    )


def _steps(rows: Sequence[Row]) -> list[Step]:
    """One step a night: what its newest attempt's runner read. Rows come newest first."""
    by_night: dict[datetime, Step] = {}
    for row in rows:
        if row.night_at is not None and row.limit_s is not None:
            by_night.setdefault(row.night_at, Step(row.night_at, row.literal, row.limit_s))
    return list(by_night.values())


def _words(key: RegistrationKey, points: Sequence[Point]) -> Words:
    counted = [one.elapsed_s for one in points if not one.letter and one.elapsed_s is not None]
    spread = f", from {min(counted)} to {max(counted)} s" if counted else ""
    told = (
        f"{len(points)} measurements, {len(counted)} of them counted{spread}, beside the literal and the effective "
        "timeout of each night. The table below holds the same."
    )
    return Words("samples", f"Measurements of {key.path} by night", told)
