"""Has a repository gone quiet? Pure: the runs GitHub lists, and the configuration, in; named troubles out.

A nightly is told by its workflow's file, so that a renamed workflow stays one and a moved one is
noticed (https://github.com/sgl-project/sglang/issues/25420 was a name that silently matched nothing).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain import Run
from bot.publish.notice import Report, Trouble
from bot.records.repositories import Repository
from bot.repo_config import RepoConfig
from bot.tasks.pinning import nightly_filter, not_a_nightly

WATCHED = (Trouble.NIGHTLY_SILENT, Trouble.WORKFLOW_UNMATCHED)


@dataclass(frozen=True, slots=True)
class Listed:
    """What GitHub lists of the configured workflows, events and branches since a moment.

    Of any workflow, where the configured ones have no run. `cut` counts lists that were longer than what
    was read of them, or not read at all.
    """

    runs: tuple[Run, ...]
    since: datetime
    cut: int = 0

    def nightlies(self, config: RepoConfig, repository: Repository) -> tuple[Run, ...]:
        """Those that are nightlies by the configuration."""
        return tuple(run for run in self.runs if not not_a_nightly(run, config, repository))


def since(now: datetime, config: RepoConfig, least_days: int) -> datetime:
    """From when on runs are listed: as far back as a nightly may stay away, and at least so many days."""
    return now - timedelta(days=max(config.nightly.silent_days, least_days))


def quiet(
    listed: Listed, config: RepoConfig, repository: Repository, now: datetime, known: frozenset[str]
) -> tuple[Report, ...]:
    """The troubles there are.

    `known` are the workflow files whose nights were ever read: where the configuration names none, these
    are missed, whatever else runs by schedule. Without any nothing is.
    """
    wanted, edge = nightly_filter(config, repository), now - timedelta(days=config.nightly.silent_days)
    recent = [run for run in listed.runs if run.created_at and run.created_at >= edge]
    files = frozenset(wanted.workflows) or known
    nights = (run for run in recent if not not_a_nightly(run, config, repository))
    if any(run.workflow.partition("@")[0] in files for run in nights):
        return ()
    days = f"{config.nightly.silent_days} {'day' if config.nightly.silent_days == 1 else 'days'}"
    if wanted.workflows and recent:
        others = sorted({run.workflow for run in recent})
        return (Report(Trouble.WORKFLOW_UNMATCHED, _unmatched(wanted.workflows, others, days)),)
    if not files:
        return ()
    events, branches = ", ".join(wanted.events), ", ".join(wanted.branches)
    told = f"for {days}: no completed run of {', '.join(sorted(files)[:10])}, event {events}, branch {branches}"
    return (Report(Trouble.NIGHTLY_SILENT, (told,)),)


def _unmatched(workflows: Sequence[str], others: Sequence[str], days: str) -> tuple[str, ...]:
    told = f"for {days}: no completed run of {', '.join(workflows)}"
    return (told, *(f"{other} has run" for other in others[:10]))
