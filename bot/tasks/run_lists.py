"""Lists the runs that a sweep looks for nightlies in: by workflow file where files are configured.

Bounded in requests and in runs; what a bound cut off is counted. What the runs mean is `bot.tasks.quiet`'s part.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.domain import Run
from bot.errors import GoneError
from bot.records.measurements import RunQuery
from bot.records.repositories import Repository
from bot.repo_config import RepoConfig
from bot.tasks.pinning import nightly_filter
from bot.tasks.ports import RepositoryRuns
from bot.tasks.quiet import Listed

MOST_RUNS = 100  # of one list
MOST_LISTS = 12
MOST_OTHERS = 30  # runs of other workflows, to be named where the configured ones have none
ANY = ""  # workflow


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose runs are listed and from when on; `known` are the workflow files whose nights were ever read."""

    config: RepoConfig
    repository: Repository
    since: datetime
    known: frozenset[str] = frozenset()

    def queries(self, workflows: Iterable[str]) -> list[RunQuery]:
        """One for each workflow, event and branch."""
        wanted = nightly_filter(self.config, self.repository)
        every = itertools.product(workflows, wanted.events, wanted.branches)
        return [RunQuery(workflow, event, branch, self.since) for workflow, event, branch in every]


async def list_runs(runs: RepositoryRuns, asked: Asked) -> Listed:
    """Completed runs since a moment of the configured workflows, events and branches.

    Where the configured workflow files have none, or are not there, the newest ones of any workflow. Where none is
    configured those of any, and by file those of the known ones where there are too many to see them all.
    """
    configured = asked.config.nightly.workflows
    listed = await _all(runs, asked.queries(configured or (ANY,)), asked.since, MOST_RUNS)
    if configured and not listed.runs:
        return await _all(runs, asked.queries((ANY,)), asked.since, MOST_OTHERS)
    if configured or not listed.cut or not asked.known:
        return listed
    by_file = await _all(runs, asked.queries(sorted(asked.known)), asked.since, MOST_RUNS)
    once = {(run.run_id, run.attempt): run for run in (*listed.runs, *by_file.runs)}
    return Listed(tuple(once.values()), asked.since, listed.cut + by_file.cut)


async def _all(runs: RepositoryRuns, queries: list[RunQuery], since: datetime, most: int) -> Listed:
    found: list[Run] = []
    cut = max(0, len(queries) - MOST_LISTS)
    for query in queries[:MOST_LISTS]:
        try:
            part = await runs.recent(query, most)
        except GoneError:
            continue  # no such workflow file: what else runs is said instead
        found += part
        cut += len(part) == most
    return Listed(tuple(found), since, cut)
