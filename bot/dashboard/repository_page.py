"""One repository: what is off, its nights, how literals held, partitions, edits. Pure: a view in, HTML out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from bot.dashboard import addresses
from bot.dashboard.endings import ended
from bot.dashboard.plots.bars import Pair, PairWords, pairs_plot
from bot.dashboard.plots.coverage import Share, coverage_plot
from bot.dashboard.plots.drawing import Plot, Words
from bot.dashboard.templates import Frame, render
from bot.dashboard.views import EDITS_SHOWN, NIGHTS_SHOWN, OFF_SHOWN, TESTS_SHOWN, RepositoryAsked, RepositoryView
from bot.domain import Decision, Proposal, RegistrationKey, Status, SuitePartitions
from bot.overview import Held, NightOverview
from bot.publish.links import Links
from bot.publish.wording import KEEP, NOT_PACKED, words
from bot.records.repositories import ConfigStatus

SUITES_PLOTTED = 12
RANKS_PLOTTED = 32


@dataclass(frozen=True, slots=True)
class Off:
    """One literal that the measurements contradict. `held` is why it stays, "" where it is proposed to change."""

    key: RegistrationKey
    literal: float | None  # None where it is not a number that can be read
    estimate: int
    slowest_s: int | None
    passes: int
    nights: int
    limit_s: int
    held: str


@dataclass(frozen=True, slots=True)
class Packed:
    """A suite's partitions, with a plot where there is room for one. `ranks` are all of them: label, before, after."""

    suite: SuitePartitions
    ranks: tuple[Pair, ...]
    plot: Plot | None
    drawn: int = RANKS_PLOTTED  # at most as many of the ranks


def render_repository(view: RepositoryView, frame: Frame) -> str:
    """The whole page."""
    links = Links(server=view.server)
    partitions = view.evaluation.partitions if view.evaluation else ()
    not_packed = view.evaluation.not_packed if view.evaluation else ()
    return render(
        "repository.html",
        frame,
        view=view,
        trouble=_trouble(view),
        links=links,
        recent=_together(view.plotted[:NIGHTS_SHOWN]),
        others=_other_statuses,
        outcome=ended,
        off=tuple(map(_off, view.off.items)),
        proposed=view.counts.get("raise", 0) + view.counts.get("lower", 0),
        coverage=_coverage(view.plotted),
        packed=_packed(partitions),
        not_packed=tuple((one, words(NOT_PACKED, one.reason)) for one in not_packed),
        edits=_edits(view),
        older=_older(view),
    )


def _trouble(view: RepositoryView) -> tuple[tuple[str, str], ...]:
    """What keeps us from working, each with what to do."""
    state, found = view.state, []
    if state.paused:
        found.append(("Paused by a person.", "The comment /recalibrate resume starts it again."))
    if state.config.status in (ConfigStatus.INVALID, ConfigStatus.UNREADABLE):
        problems = " ".join(state.config.problems[:3])
        found.append((f"The configuration is {state.config.status}.", f"Mend .github/recalibrate.yml. {problems}"))
    if view.repository.installation_id is None:
        found.append(("The App has no access to this repository any more.", "Install it again; the history is kept."))
    return tuple(found)


def _together(nights: Sequence[NightOverview]) -> Held:
    """Several nights as one."""
    return Held(
        passed=sum(night.held.passed for night in nights),
        timed_out=sum(night.held.timed_out for night in nights),
        within_literal=sum(night.held.within_literal for night in nights),
        within_limit=sum(night.held.within_limit for night in nights),
    )


def _other_statuses(night: NightOverview) -> int:
    """Scheduled files that neither passed nor timed out nor failed."""
    shown = (Status.PASSED, Status.TIMEOUT, Status.FAILED)
    return sum(count for status, count in night.statuses.items() if status not in shown)


def _off(decision: Decision) -> Off:
    call, estimate = decision.registration, decision.estimate
    if isinstance(decision, Proposal):
        value, limit_s, held = decision.after, decision.timeout_before_s, ""
    else:
        value, limit_s, held = decision.held or 0, decision.timeout_s, words(KEEP, decision.reason)
    return Off(
        key=call.key,
        literal=None if call.est_refusal else call.est_time,
        estimate=value,
        slowest_s=estimate.max_elapsed_s if estimate else None,
        passes=estimate.n if estimate else 0,
        nights=estimate.nights if estimate else 0,
        limit_s=limit_s,
        held=held,
    )


def _coverage(nights: Sequence[NightOverview]) -> Plot | None:
    shares = [
        Share(night.run.created_at, night.held.literal_share, night.held.limit_share)
        for night in nights
        if night.run.created_at and night.held.literal_share is not None and night.held.limit_share is not None
    ]
    if not shares:
        return None
    told = (
        f"{len(shares)} nights. The newest: {shares[0].literal:.1%} of runs at or below their literal, "
        f"{shares[0].limit:.1%} below their effective timeout."
    )
    return coverage_plot(shares, Words("coverage", "How often the literals held, by night", told))


def _packed(partitions: Sequence[SuitePartitions]) -> tuple[Packed, ...]:
    """Suites by the makespan that counts most; the first ones with a plot."""
    ordered = sorted(partitions, key=lambda one: (-one.before.makespan_s, one.suite, one.backend))
    return tuple(_suite(one, number) for number, one in enumerate(ordered))


def _suite(one: SuitePartitions, number: int) -> Packed:
    loads = zip(one.before.measured_s, one.after.measured_s, strict=False)
    ranks = tuple(Pair(str(rank), before, after) for rank, (before, after) in enumerate(loads))
    drawable = ranks and all(isfinite(rank.first) and isfinite(rank.second) for rank in ranks)
    if number >= SUITES_PLOTTED or not drawable:
        return Packed(one, ranks, None)
    told = (
        f"{len(ranks)} ranks. The fullest takes {one.before.makespan_s:.0f} s at the present literals and "
        f"{one.after.makespan_s:.0f} s at the proposed ones."
    )
    heading = Words(f"suite-{number}", f"Measured seconds of each rank of {one.suite}", told)
    said = PairWords("rank", "present literals", "proposed literals", " seconds")
    return Packed(one, ranks, pairs_plot(ranks[:RANKS_PLOTTED], said, heading))


def _edits(view: RepositoryView) -> Plot | None:
    """Oldest pull request first, as time goes."""
    pairs = [
        Pair(f"#{one.publication.pull_request}", one.raises, one.lowers)
        for one in reversed(view.edits.items)
        if one.raises or one.lowers
    ]
    if not pairs:
        return None
    told = f"{len(pairs)} pull requests, the oldest first, with how many literals each raises and lowers."
    return pairs_plot(pairs, PairWords("pull request", "raised", "lowered"), Words("edits", "Edits over time", told))


def _older(view: RepositoryView) -> dict[str, str]:
    """Where the next part of each list is; the other lists stay where they are."""
    asked = view.asked
    more = {
        "nights": (view.nights.more, asked.nights + NIGHTS_SHOWN),
        "off": (view.off.more, asked.off + OFF_SHOWN),
        "edits": (view.edits.more, asked.edits + EDITS_SHOWN),
        "tests": (view.tests.more, asked.tests + TESTS_SHOWN),
    }
    return {name: _at(view, name, offset) if there_are else "" for name, (there_are, offset) in more.items()}


def _at(view: RepositoryView, name: str, offset: int) -> str:
    return addresses.part(
        addresses.repository(view.repository.repository_id), {**_asked(view.asked), name: offset}, name
    )


def _asked(asked: RepositoryAsked) -> dict[str, str | int]:
    here: dict[str, str | int] = {name: getattr(asked, name) for name in ("nights", "off", "edits", "tests")}
    return {**here, "find": asked.find}
