"""What a process works on tasks with. Receiving and housekeeping are `bot.app.serving`'s part."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from bot.app.forges import Forges, under_present_name
from bot.app.introduced import Introduced
from bot.app.reached import named_github
from bot.domain import RepositoryId, TaskRequest
from bot.errors import InternalError
from bot.forge.access import Author
from bot.forge.auth import AppAuth, AppKey
from bot.forge.client import RetryPolicy
from bot.forge.installed import GitHubInstalled
from bot.forge.secret import Secret
from bot.forge.transport import new_session
from bot.forge.webhook_api import GitHubDeliveries
from bot.metrics.counts import Counts
from bot.settings import Settings
from bot.store.open import Store, utc_now
from bot.tasks import ended_rows
from bot.tasks.durable_steps import DurableSteps
from bot.tasks.pipeline import Pipeline
from bot.tasks.processes import Processes
from bot.tasks.queue import DurableQueue, Perform
from bot.tasks.stepping import Json, Patience
from bot.tasks.workshop import SWEEP_MINUTES, Keeping, SweepWork, Workshop

PROCESSES = 2


async def nobody(_steps: DurableSteps, request: TaskRequest) -> Json:
    """What a process does that only receives: it is given no task, and has no key to do one."""
    raise InternalError(f"task {request.key} was given to a process that only receives")


class Door:
    """Where tasks ask for tasks: the queue is made of the pipeline that asks it, and so comes after it."""

    queue: DurableQueue | None = None

    async def enqueue(self, request: TaskRequest) -> None:
        """Ask for a task from within another."""
        await self._there().ask(request)

    async def forget(self, repository_id: RepositoryId) -> int:
        """Delete the tasks of a repository from within a task about something else."""
        return await self._there().forget(repository_id)

    def _there(self) -> DurableQueue:
        if self.queue is None:
            raise InternalError("the queue was asked for something before there was one")
        return self.queue


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that works on tasks."""

    settings: Settings
    store: Store
    patience: Patience
    door: Door
    counts: Counts
    introduced: Introduced

    async def build(self, stack: AsyncExitStack) -> Perform:
        """Everything that tasks are done with.

        Raises:
            UserError: the App's key or GitHub's address cannot be used.
        """
        settings = self.settings
        endpoint = replace(named_github(settings.github_url, settings.network), heard=self.counts.call)
        session = await stack.enter_async_context(new_session(endpoint.network, endpoint.heard))
        policy = RetryPolicy(sleep=self._wait)
        app = AppAuth(session, endpoint, AppKey(str(settings.app_id), Secret(settings.private_key)), policy)
        await stack.enter_async_context(self.introduced.asking(app.login))
        processes = stack.enter_context(Processes(PROCESSES))
        root = settings.work_dir / "logs"
        forges = Forges(session, endpoint, app, Author(settings.app_id, app.login), root)
        workshop = Workshop(
            forge=under_present_name(forges.of, self.store.repositories),
            installed=GitHubInstalled(session, app),
            store=self.store,
            executor=processes,
            now=utc_now,
            log_root=root,
            empty_log_wait_s=self.patience.empty_log_s,
            sweeping=SweepWork(
                GitHubDeliveries(app.client),
                self.door.enqueue,
                self.door.forget,
                settings.forget_days,
                settings.sweep_minutes or SWEEP_MINUTES,  # 0 here: another process asks for sweeps
            ),
            keeping=Keeping(settings.operating.keep_days, ended_rows.trim),
            ended=self.counts.task,
        )
        processes.warm()
        return Pipeline(workshop).perform

    async def _wait(self, seconds: float) -> None:
        self.counts.wait(seconds)
        await self.patience.sleep(seconds)
