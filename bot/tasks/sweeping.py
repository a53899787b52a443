"""The road of a sweep: what never arrived is asked for, what has gone quiet is said, what is lost is forgotten.

Bounded in deliveries, repositories, runs and tasks; what one sweep leaves the next one takes. One
repository's failure does not keep the others from being looked at.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.config_file import Absent, Unreadable, Valid
from bot.config_names import read_config
from bot.domain import RepositoryId, Run, TaskKind, TaskRequest
from bot.errors import UserError
from bot.publish.notice import Report, Trouble
from bot.records.repositories import Repository
from bot.repo_config import RepoConfig
from bot.tasks.checks_started import say_missing_checks
from bot.tasks.noticing import heal, tell
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.pinning import snapshot_of
from bot.tasks.ports import Forge
from bot.tasks.quiet import WATCHED, quiet, since
from bot.tasks.redelivering import redeliver
from bot.tasks.run_lists import Asked, list_runs
from bot.tasks.stepping import Json, Steps
from bot.tasks.swept import Sums, ending
from bot.tasks.taking import take
from bot.tasks.untold import MOST_ASKED, in_turn, known_in_turn, lacking, to_ask, untold
from bot.tasks.values import LOOKED, REDELIVERED, SWEPT_LIST, WAITING, Looked, ToLookAt
from bot.tasks.workshop import SweepWork, Workshop

MISSED_DAYS = 3  # a completed nightly is looked for as long
MOST_REPOSITORIES = 200
MOST_TASKS = 10  # of one repository
MOST_FORGOTTEN = 20
MOST_PARKED = 1000  # that are counted

log = logging.getLogger(__name__)


def sweep_request(now: datetime, every_minutes: int) -> TaskRequest:
    """The sweep of a moment: one and the same for everybody who asks within the same stretch of minutes."""
    stretch = every_minutes * 60
    start = datetime.fromtimestamp(now.timestamp() // stretch * stretch, UTC)
    return TaskRequest(TaskKind.SWEEP, 0, delivery=f"{start:%Y-%m-%dT%H:%MZ}")


class Sweeping:
    """Sweeps."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def perform(self, steps: Steps, request: TaskRequest) -> Ending:
        """The whole sweep; its ending says what was done, or why there was nothing to do."""
        work = self._workshop.sweeping
        if work is None:
            return Ending(OutcomeName.REFUSED, "this process does not sweep")
        redelivered = await take(steps, REDELIVERED, "redeliver", partial(redeliver, self._workshop, work))
        listed = await take(steps, SWEPT_LIST, "list repositories", partial(self.to_look_at, work, request))
        looked: list[Looked] = []
        for repository_id in listed.repositories:
            look = partial(self.look, work, request, RepositoryId(repository_id), listed)
            looked.append(await _looked(steps, repository_id, look))
        forgotten = await take(steps, SWEPT_LIST, "forget", partial(self.forget, work))
        waiting = await take(steps, WAITING, "count parked", self.waiting)
        return ending(Sums(redelivered, tuple(looked), len(forgotten.repositories), waiting, listed.untold))

    async def to_look_at(self, work: SweepWork, request: TaskRequest) -> Json:
        """The repositories of this sweep, others each time where there are more, and what each installation lacks.

        One whose installation is gone loses it: a task that was at work at that moment may have noted it again.
        Installations that never told are asked about; their repositories are looked at from the next sweep on.
        """
        store, turn = self._workshop.store, number_of(request, work.every_minutes)
        covered = await asyncio.to_thread(store.repositories.covered)  # before GitHub's list, which is newer
        known = await asyncio.to_thread(store.installations.every)
        granted = await self._workshop.installed.every()
        strangers = untold(granted, known)
        for asked in to_ask([*strangers[:MOST_ASKED], *known_in_turn(known, turn)], request.delivery):
            await work.enqueue(asked)
        there = {one.installation.installation_id for one in granted} | {one.installation_id for one in known}
        for orphan in (one for one in covered if one.installation_id not in there):
            await asyncio.to_thread(store.repositories.lose_access, orphan.repository_id)
        at_work = there - {one.installation_id for one in known if one.suspended}
        ids = [one.repository_id for one in covered if one.installation_id in at_work and not one.archived]
        return SWEPT_LIST.dump(ToLookAt(in_turn(ids, turn, MOST_REPOSITORIES), dict(lacking(granted)), len(strangers)))

    async def look(self, work: SweepWork, request: TaskRequest, repository_id: RepositoryId, listed: ToLookAt) -> Json:
        """Find completed nightlies without a task, and say what has gone quiet or lacks a permission."""
        store = self._workshop.store
        known = await asyncio.to_thread(store.repositories.find, repository_id)
        if known is None or known.installation_id is None:
            return LOOKED.dump(Looked(repository_id))
        here = replace(
            request,
            installation_id=known.installation_id,
            repository_id=repository_id,
            repository=known.full_name,
            delivery=f"{request.delivery}:{repository_id}",
            again=0,  # of the sweep; what it asks for is new
        )
        forge = self._workshop.forge(here)
        repository = replace(await forge.facts(), installation_id=known.installation_id)
        if repository.repository_id != repository_id:
            return LOOKED.dump(Looked(repository_id, refused=f"{known.full_name} is another repository now"))
        await asyncio.to_thread(store.repositories.save, repository)
        if repository.archived:
            return LOOKED.dump(Looked(repository_id))
        config = await self._config(forge, repository)
        start = since(self._workshop.now(), config, MISSED_DAYS)
        files = await asyncio.to_thread(store.runs.night_workflows, repository_id)
        found = await list_runs(forge.runs, Asked(config, repository, start, files))
        nightlies = sorted(found.nightlies(config, repository), key=partial(_order, files))
        asked = await self._missed(work, here, nightlies)
        lack = listed.lacking.get(known.installation_id, ())
        silent = quiet(found, config, repository, self._workshop.now(), files)
        said = await self._say(here, forge, [*_permission(lack), *silent])
        missing = await say_missing_checks(self._workshop, here, forge)
        return LOOKED.dump(Looked(repository_id, asked, (*said, *missing), cut=found.cut))

    async def _config(self, forge: Forge, repository: Repository) -> RepoConfig:
        """The configuration as the default branch has it now; where it cannot be used, what could be last.

        Remembered for routing, which else would drop the nightlies of a workflow that was configured since.
        """
        states = self._workshop.store.states
        try:
            tip = await forge.files.tip(repository.default_branch)
            raw = await forge.files.config(tip)
        except UserError:  # no commit yet
            raw = Unreadable("no commit")
        state = raw if isinstance(raw, Unreadable) else read_config(raw)
        if isinstance(state, Valid | Absent):
            await asyncio.to_thread(states.set_config, repository.repository_id, snapshot_of(state, tip))
        known = await asyncio.to_thread(states.find, repository.repository_id)
        return known.config.config or RepoConfig(version=1)

    async def _missed(self, work: SweepWork, here: TaskRequest, nightlies: Sequence[Run]) -> int:
        """Ask for the tasks of completed nightlies that have none, in this order; the queue holds each once."""
        edge, asked, outcomes = self._workshop.now() - timedelta(days=MISSED_DAYS), 0, self._workshop.store.outcomes
        recent = [run for run in nightlies if run.created_at and run.created_at >= edge]
        for run in recent:
            wanted = replace(here, kind=TaskKind.NIGHTLY, run_id=run.run_id, attempt=run.attempt)
            ended = await asyncio.to_thread(outcomes.find, wanted.key)
            if asked == MOST_TASKS or ended is not None:
                continue
            await work.enqueue(wanted)
            asked += 1
        return asked

    async def _say(self, here: TaskRequest, forge: Forge, reports: Sequence[Report]) -> tuple[str, ...]:
        """Have an issue for each trouble there is, and none for those that are gone; the troubles' names."""
        there = {one.trouble for one in reports}
        for one in reports:
            if one.trouble is Trouble.PERMISSION_MISSING and "issues: write" in one.details:
                continue  # it cannot be said there; the outcome names it
            await tell(self._workshop, here, forge, one)
        for trouble in (*WATCHED, Trouble.PERMISSION_MISSING):
            if trouble not in there:
                await heal(self._workshop, here, forge, trouble)
        return tuple(one.trouble.value for one in reports)

    async def forget(self, work: SweepWork) -> Json:
        """Delete what is known of repositories that no installation has given access to for long enough."""
        edge = self._workshop.now() - timedelta(days=work.forget_days)
        repositories = self._workshop.store.repositories
        lost = await asyncio.to_thread(repositories.lost_before, edge, MOST_FORGOTTEN)
        for one in lost:
            await work.forget_tasks(one.repository_id)
            await asyncio.to_thread(repositories.forget, one.repository_id)
        return SWEPT_LIST.dump(ToLookAt(tuple(one.repository_id for one in lost), {}))

    async def waiting(self) -> Json:
        """The tasks that wait for GitHub outside their lanes, by key."""
        parked = await asyncio.to_thread(self._workshop.store.parked.every, MOST_PARKED)
        return WAITING.dump(tuple(one.key for one in parked))


async def _looked(steps: Steps, repository_id: int, look: Callable[[], Awaitable[Json]]) -> Looked:
    try:
        return await take(steps, LOOKED, f"look at {repository_id}", look)
    except UserError as error:
        return Looked(repository_id, refused=str(error)[:200])
    except Exception as error:
        log.error("repository not looked at", exc_info=error, extra={"repository_id": repository_id})
        return Looked(repository_id, refused=f"{type(error).__name__}, our fault: see the log")


def _order(files: frozenset[str], run: Run) -> tuple[bool, int]:
    """Workflows first whose nights were read before, then the oldest run."""
    return (run.workflow.partition("@")[0] not in files, run.run_id)


def number_of(request: TaskRequest, every_minutes: int) -> int:
    """The number of a sweep: one more from each to the next, so that taking turns leaves nobody out."""
    return int(datetime.fromisoformat(request.delivery).timestamp()) // (every_minutes * 60)


def _permission(lack: Sequence[str]) -> tuple[Report, ...]:
    return (Report(Trouble.PERMISSION_MISSING, tuple(lack)),) if lack else ()
