"""What this stage needs from the outside: runs, their jobs, and complete job logs on disk.

Fulfilled by `bot.evidence.artifacts` (directories of fetched logs) and by `bot.forge.runs`
(GitHub). No method judges what it hands over.
"""

from __future__ import annotations

from typing import Protocol

from bot.domain import Job, JobLog, Run


class RunSource(Protocol):
    """Where jobs and logs of run attempts come from."""

    async def jobs(self, run: Run) -> tuple[Job, ...]:
        """All jobs of the attempt, carried-over and skipped ones included, in the source's order.

        Raises:
            RetryableError: the source is busy, or its pages do not add up to its own count.
            UserError: the run does not exist there or may not be read.
        """
        ...

    async def log(self, run: Run, job: Job) -> JobLog:
        """The job's complete log, streamed to a file.

        A log that cannot be had is a state of the answer, not an exception.
        """
        ...
