"""The step that reads logs: fetch, parse in other processes, classify, keep. After it no log is needed.

An attempt that was never seen is read too: a night is one run id with all its attempts. Logs are
removed from disk when what they say is kept.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from bot.domain import Evaluation, JobId, LogState, PolicyStamp, Run, RunEvidence, TaskRequest
from bot.errors import UserError
from bot.evidence.assemble import read_job, run_evidence, told_by
from bot.evidence.carried import mark_carried
from bot.evidence.collect import collect
from bot.evidence.dialects.port import NOTHING_TOLD, Told
from bot.evidence.ports import RunSource
from bot.evidence.telling import telling_lines
from bot.publish.lines import cited_logs
from bot.publish.log_lines import cited_texts
from bot.publish.notice import Report, Trouble
from bot.tasks.cited import merged_lines, packed
from bot.tasks.hosted import where_it_ran
from bot.tasks.noticing import heal, tell
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge
from bot.tasks.stepping import Json
from bot.tasks.values import COLLECTED, Collected, Pinned
from bot.tasks.workshop import MAX_LOGS_AT_ONCE, Workshop

MAX_ATTEMPTS = 10  # earlier attempts of one run that are looked at


class Collecting:
    """The second step of a nightly task."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def collect(self, request: TaskRequest, pinned: Pinned) -> Json:
        """Read the pinned attempt, and earlier ones that are not known, into the store."""
        forge = self._workshop.forge(request)
        found = _found(await self.keep(request, pinned))
        if isinstance(found, Ending) and found.name is OutcomeName.LOGS_FORBIDDEN:
            await tell(self._workshop, request, forge, Report(Trouble.LOGS_FORBIDDEN, (found.detail,)))
        else:
            await heal(self._workshop, request, forge, Trouble.LOGS_FORBIDDEN)
        return COLLECTED.dump(found)

    async def keep(self, request: TaskRequest, pinned: Pinned) -> RunEvidence:
        """The same without a word to anybody; the pinned attempt's evidence."""
        forge, store = self._workshop.forge(where_it_ran(request)), self._workshop.store
        known = await asyncio.to_thread(store.runs.find, request.repository_id, request.run_id)
        attempts = await self._attempts(forge, pinned.run, {one.run.attempt for one in known})
        told = told_by(pinned.config.logs)
        read = [await read_run(forge.runs, run, self._workshop.executor, told) for run in attempts]
        renewed = {one.run.attempt for one in read}
        kept = [one for one in known if one.run.attempt not in renewed]
        for one in mark_carried([*kept, *read]):
            await asyncio.to_thread(store.runs.record, request.repository_id, one)
        for one in read:
            telling = await self._telling(one, pinned)
            lines = merged_lines(await asyncio.to_thread(cited_lines, one), telling)
            await asyncio.to_thread(store.runs.cite, request.repository_id, one.run, lines)
        await asyncio.to_thread(_remove_logs, self._workshop.log_root, read)
        return read[-1]

    async def collect_missing(self, request: TaskRequest, pinned: Pinned) -> Json:
        """The same, except that an attempt whose every log is known, under the same trust, is not read again."""
        known = await asyncio.to_thread(self._workshop.store.runs.find, request.repository_id, request.run_id)
        same = next((one for one in known if one.run.attempt == pinned.run.attempt), None)
        if same is None or same.run.trusted != pinned.run.trusted or _may_come(same):
            return await self.collect(request, pinned)
        return COLLECTED.dump(_found(same))

    async def _telling(self, evidence: RunEvidence, pinned: Pinned) -> Mapping[JobId, Mapping[int, bytes]]:
        """The lines of each log by which a test's time can be explained when the log is gone."""
        loop = asyncio.get_running_loop()
        jobs = [job for job in evidence.jobs if job.rows]
        reads = (loop.run_in_executor(self._workshop.executor, telling_lines, job, pinned.config) for job in jobs)
        found = await asyncio.gather(*reads)
        return {job.log.job.job_id: lines for job, lines in zip(jobs, found, strict=True)}

    async def _attempts(self, forge: Forge, pinned: Run, known: set[int]) -> list[Run]:
        """The attempts to read, oldest first: the pinned one, and earlier ones that were never seen."""
        earlier = [n for n in range(max(1, pinned.attempt - MAX_ATTEMPTS), pinned.attempt) if n not in known]
        found: list[Run] = []
        for number in earlier:
            try:
                run = await forge.runs.run(pinned.run_id, number)
            except UserError:
                continue  # GitHub no longer has it; what it measured is lost
            found.append(replace(run, trusted=pinned.trusted, measures=pinned.measures))  # of the same night
        return [*found, pinned]


async def read_run(source: RunSource, run: Run, executor: Executor, told: Told = NOTHING_TOLD) -> RunEvidence:
    """One attempt's evidence, each log parsed in the executor as soon as all are on disk."""
    logs = await collect(source, run, MAX_LOGS_AT_ONCE)
    loop = asyncio.get_running_loop()
    jobs = await asyncio.gather(*(loop.run_in_executor(executor, read_job, run, log, told) for log in logs))
    return run_evidence(run, jobs)


def cited_lines(evidence: RunEvidence) -> Mapping[JobId, Mapping[int, str]]:
    """The log lines that an attempt's rows cite, as the store keeps them."""
    alone = Evaluation(evidence.run.repository, "", evidence.run.head_sha, PolicyStamp(""), runs=(evidence,))
    return packed(cited_texts(cited_logs(alone)))


def _found(evidence: RunEvidence) -> Collected | Ending:
    states = [job.log.state for job in evidence.jobs]
    if LogState.FORBIDDEN in states:
        refused = next(job.log.reason for job in evidence.jobs if job.log.state is LogState.FORBIDDEN)
        return Ending(OutcomeName.LOGS_FORBIDDEN, f"run {evidence.run.run_id}: {refused}")
    if not any(job.plan for job in evidence.jobs) and LogState.EMPTY not in states:
        return Ending(OutcomeName.NO_TIMINGS, f"no log of {len(states)} jobs carries a suite's plan")
    return Collected(rows=len(evidence.rows), empty=states.count(LogState.EMPTY))


def _may_come(known: RunEvidence) -> bool:
    """True where a log that could not be had may be there by now."""
    return any(job.log.state in (LogState.EMPTY, LogState.FORBIDDEN) for job in known.jobs)


def _remove_logs(root: Path, read: Sequence[RunEvidence]) -> None:
    """Take the logs of these attempts away; only what lies below our own folder."""
    folders = {Path(job.log.path).parent for one in read for job in one.jobs if job.log.path}
    for folder in folders:
        if folder.is_relative_to(root):
            shutil.rmtree(folder, ignore_errors=True)
