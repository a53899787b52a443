"""Fetches all job logs of one attempt through the port, a bounded number at a time.

The only asynchronous part of this stage. Judges nothing; what a source cannot give is a state of
its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.domain import Job, JobLog, Run
from bot.evidence.ports import RunSource

Progress = Callable[[int, int], None]
"""Called with (logs fetched so far, jobs of the attempt)."""


def silent(_done: int, _total: int) -> None:
    """Tell nobody."""


async def collect(source: RunSource, run: Run, at_once: int, progress: Progress = silent) -> tuple[JobLog, ...]:
    """The attempt's job logs, in the source's order of jobs.

    The first failure cancels the other fetches and is raised.

    Raises:
        RetryableError: the source is busy.
        UserError: the run, or one of its logs, is refused.
    """
    jobs = await source.jobs(run)
    free = asyncio.Semaphore(max(1, at_once))
    done = 0

    async def fetch(job: Job) -> JobLog:
        nonlocal done
        async with free:
            log = await source.log(run, job)
        done += 1
        progress(done, len(jobs))
        return log

    fetches = [asyncio.ensure_future(fetch(job)) for job in jobs]
    try:
        return tuple(await asyncio.gather(*fetches))
    finally:
        for one in fetches:
            one.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)
