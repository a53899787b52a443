"""Lists the runs that a sweep looks for nightlies in: by workflow file where files are configured.

Bounded in requests and in runs; what a bound cut off is counted. What the runs mean is `bot.tasks.quiet`'s part.
"""

from __future__ import annotations

import itertools
from datetime import datetime

from bot.domain import Run
from bot.errors import GoneError
from bot.records import Repository, RunQuery
from bot.repo_config import RepoConfig
from bot.tasks.pinning import nightly_filter
from bot.tasks.ports import RepositoryRuns
from bot.tasks.quiet import Listed

MOST_RUNS = 100  # of one list
MOST_LISTS = 12
MOST_OTHERS = 30  # runs of other workflows, to be named where the configured ones have none
ANY = ""  # workflow


async def list_runs(runs: RepositoryRuns, config: RepoConfig, repository: Repository, since: datetime) -> Listed:
    """Completed runs since a moment of the configured workflows, events and branches.

    Where the configured workflow files have none, or are not there, the newest ones of any workflow.
    """
    wanted = nightly_filter(config, repository)
    every = list(itertools.product(wanted.workflows or (ANY,), wanted.events, wanted.branches))
    queries = [RunQuery(workflow, event, branch, since) for workflow, event, branch in every]
    listed = await _all(runs, queries[:MOST_LISTS], since, MOST_RUNS)
    if not listed.runs and wanted.workflows:
        pairs = itertools.product(wanted.events, wanted.branches)
        others = [RunQuery(ANY, event, branch, since) for event, branch in pairs]
        return await _all(runs, others[:MOST_LISTS], since, MOST_OTHERS)
    return Listed(listed.runs, since, listed.cut + max(0, len(queries) - MOST_LISTS))


async def _all(runs: RepositoryRuns, queries: list[RunQuery], since: datetime, most: int) -> Listed:
    found: list[Run] = []
    cut = 0
    for query in queries:
        try:
            part = await runs.recent(query, most)
        except GoneError:
            continue  # no such workflow file: what else runs is said instead
        found += part
        cut += len(part) == most
    return Listed(tuple(found), since, cut)
