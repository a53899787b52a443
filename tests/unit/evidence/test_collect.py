from __future__ import annotations

import asyncio

import pytest

from bot.domain import Job, JobId, JobLog, LogState, Run
from bot.errors import RetryableError
from bot.evidence.collect import collect
from tests.unit.evidence.tiny_logs import RUN


class _Source:
    """Ten jobs whose logs come in reverse; counts how many are fetched at once."""

    def __init__(self, broken: int = -1) -> None:
        self.broken = broken
        self.now = self.most = self.started = 0

    async def jobs(self, run: Run) -> tuple[Job, ...]:
        return tuple(Job(JobId(i), f"job {i}", run.attempt, "success") for i in range(10))

    async def log(self, run: Run, job: Job) -> JobLog:
        self.now += 1
        self.started += 1
        self.most = max(self.most, self.now)
        for _ in range(10 - job.job_id):
            await asyncio.sleep(0)
        self.now -= 1
        if job.job_id == self.broken:
            raise RetryableError("busy")
        return JobLog(job, LogState.PRESENT)


def test_logs_come_in_the_order_of_jobs() -> None:
    logs = asyncio.run(collect(_Source(), RUN, at_once=4))
    assert [log.job.job_id for log in logs] == list(range(10))


@pytest.mark.parametrize("at_once", [1, 3, 50])
def test_no_more_than_so_many_are_fetched_at_once(at_once: int) -> None:
    source = _Source()
    asyncio.run(collect(source, RUN, at_once))
    assert source.most == min(at_once, 10)


def test_progress_counts_up_to_the_number_of_jobs() -> None:
    seen: list[tuple[int, int]] = []
    asyncio.run(collect(_Source(), RUN, 3, lambda done, total: seen.append((done, total))))
    assert seen == [(i, 10) for i in range(1, 11)]


def test_the_first_failure_ends_the_others() -> None:
    source = _Source(broken=0)
    with pytest.raises(RetryableError):
        asyncio.run(collect(source, RUN, at_once=1))
    assert source.started <= 2
