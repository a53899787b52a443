"""The composition root: the only module that constructs clients, store, processes, queue and routes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
from aiohttp import web

from bot.domain import TaskRequest
from bot.errors import InternalError
from bot.forge.access import Identity, Place, RepositoryAccess
from bot.forge.auth import (
    READ,
    AppAuth,
    AppKey,
    GivenToken,
    Granted,
    InstallationTokens,
    Secret,
    Tokens,
    login_of_token,
)
from bot.forge.client import DEFAULT_POLICY, GitHubClient, RetryPolicy, new_session
from bot.forge.endpoint import Endpoint
from bot.forge.installed import GitHubInstalled
from bot.forge.webhook_api import GitHubDeliveries
from bot.records import Host, Role
from bot.settings import Credentials, Settings
from bot.store.open import Store, utc_now
from bot.store.repositories import Repositories
from bot.tasks.hosts import BEAT_S, Caretaker, forever
from bot.tasks.pipeline import Pipeline
from bot.tasks.ports import Forge
from bot.tasks.processes import Processes
from bot.tasks.queue import DurableQueue, DurableSteps, Perform, QueueSettings
from bot.tasks.stepping import PATIENT, Json, Patience
from bot.tasks.sweeping import sweep_request
from bot.tasks.workshop import SweepWork, Workshop
from bot.webhook.ready import NotReady, Readiness
from bot.webhook.receiver import Receiver

PROCESSES = 2
REPOSITORIES_HELD = 16  # each with the trees it has read
SWEEP_CHECK_S = 60.0


class Forges:
    """Gives each task its view of its repository; a view is kept for the next task, with what it has read."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        who: AppAuth | GivenToken,
        identity: Identity,
        root: Path,
    ) -> None:
        self._session = session
        self._endpoint = endpoint
        self._who = who
        self._identity = identity
        self._root = root
        self._tokens: dict[int, InstallationTokens] = {}
        self._held: OrderedDict[tuple[int, int, str], RepositoryAccess] = OrderedDict()

    def of(self, request: TaskRequest) -> Forge:
        """The repository of one task: the same view for all its tasks, for what was read never changes."""
        key = (request.installation_id, request.repository_id, request.repository)
        if key not in self._held:
            policy = self._who.client.policy if isinstance(self._who, AppAuth) else DEFAULT_POLICY
            place = Place(request.repository, request.repository_id, self._root, policy)
            tokens = self._of_installation(request.installation_id)
            self._held[key] = RepositoryAccess(self._session, self._endpoint, tokens, self._identity, place)
            while len(self._held) > REPOSITORIES_HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]

    def _of_installation(self, installation_id: int) -> Tokens:
        if isinstance(self._who, GivenToken):
            return self._who
        if installation_id not in self._tokens:
            self._tokens[installation_id] = self._who.installation(installation_id)
        return self._tokens[installation_id]


def under_present_name(forge: Callable[[TaskRequest], Forge], known: Repositories) -> Callable[[TaskRequest], Forge]:
    """The same, for a repository that was renamed or transferred since it was asked for: the id is what counts."""

    def of(request: TaskRequest) -> Forge:
        found = known.find(request.repository_id) if request.repository_id else None
        return forge(replace(request, repository=found.full_name) if found else request)

    return of


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its routes, its queue and its memory."""

    web: web.Application
    queue: DurableQueue
    store: Store


@asynccontextmanager
async def service(settings: Settings, patience: Patience = PATIENT) -> AsyncIterator[Service]:
    """Build the service, or the process of it that the settings' role names, and stop everything at the end.

    Raises:
        UserError: a setting, the App's key, or a database cannot be used.
        RetryableError: GitHub did not answer.
    """
    async with AsyncExitStack() as stack:
        settings.work_dir.mkdir(parents=True, exist_ok=True)
        store = Store.open(settings.database_url)
        stack.callback(store.close)
        door = _Door()
        worker = _Worker(settings, store, patience, door)
        perform = _nobody if settings.role is Role.WEB else await worker.build(stack)
        queue = door.queue = DurableQueue(_queue_settings(settings, patience), perform)
        await queue.start()
        stack.push_async_callback(queue.stop)
        await stack.enter_async_context(_housekeeping(settings, store, queue))
        receiver = Receiver(settings.webhook_secret, queue, store.deliveries, app_id=settings.app_id)
        yield Service(_routes(receiver, _readiness(stack, store, queue), settings.role), queue, store)


def _readiness(stack: AsyncExitStack, store: Store, queue: DurableQueue) -> Readiness:
    """The store is asked on a thread of its own: the loop's pool is the engine's, and goes with it."""
    asking = ThreadPoolExecutor(1, "ready")
    stack.callback(asking.shutdown, wait=False)

    async def store_answers() -> None:
        await asyncio.get_running_loop().run_in_executor(asking, store.answers)

    return Readiness(
        {
            NotReady.STORE_AWAY: store_answers,
            NotReady.QUEUE_AWAY: queue.answers,
            NotReady.QUEUE_STOPPED: queue.runs,
        }
    )


def _queue_settings(settings: Settings, patience: Patience) -> QueueSettings:
    return QueueSettings(
        database_url=settings.queue_url,
        executor_id=settings.executor_id,
        workers=settings.workers,
        patience=patience,
        role=settings.role,
    )


async def _nobody(_steps: DurableSteps, request: TaskRequest) -> Json:
    """What a process does that only receives: it is given no task, and has no key to do one."""
    raise InternalError(f"task {request.key} was given to a process that only receives")


class _Door:
    """Where tasks ask for tasks: the queue is made of the pipeline that asks it, and so comes after it."""

    queue: DurableQueue | None = None

    async def enqueue(self, request: TaskRequest) -> None:
        """Ask for a task from within another."""
        if self.queue is None:
            raise InternalError("a task was asked for before there was a queue")
        await self.queue.ask(request)


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process that works on tasks."""

    settings: Settings
    store: Store
    patience: Patience
    door: _Door

    async def build(self, stack: AsyncExitStack) -> Perform:
        """Everything that tasks are done with."""
        settings = self.settings
        session = await stack.enter_async_context(new_session())
        endpoint = Endpoint.of(settings.github_url)
        policy = RetryPolicy(sleep=self.patience.sleep)
        app = AppAuth(session, endpoint, AppKey(str(settings.app_id), Secret(settings.private_key)), policy)
        me = await app.me()
        processes = stack.enter_context(Processes(PROCESSES))
        root = settings.work_dir / "logs"
        forges = Forges(session, endpoint, app, Identity(settings.app_id, f"{me.slug}[bot]"), root)
        workshop = Workshop(
            forge=under_present_name(forges.of, self.store.repositories),
            installed=GitHubInstalled(session, app),
            store=self.store,
            executor=processes,
            now=utc_now,
            log_root=root,
            empty_log_wait_s=self.patience.empty_log_s,
            sweeping=SweepWork(GitHubDeliveries(app.client), self.door.enqueue, settings.forget_days),
        )
        processes.warm()
        return Pipeline(workshop).perform


@asynccontextmanager
async def _housekeeping(settings: Settings, store: Store, queue: DurableQueue) -> AsyncIterator[None]:
    """Say that this process is alive and, where it works, look after the others, until the end."""
    me = Host(settings.executor_id, settings.role, queue.version)
    caretaker = Caretaker(me, store.hosts, queue)
    await caretaker.beat()

    async def sweep() -> None:
        await queue.enqueue(sweep_request(utc_now(), settings.sweep_minutes))

    running = [asyncio.create_task(forever(caretaker.beat, BEAT_S))]
    if me.works:
        running.append(asyncio.create_task(forever(caretaker.look, BEAT_S)))
    if me.works and settings.sweep_minutes:
        running.append(asyncio.create_task(forever(sweep, SWEEP_CHECK_S)))
    try:
        yield
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class AppItself:
    """The App without a repository: what `recalibrate doctor` asks GitHub with."""

    session: aiohttp.ClientSession
    auth: AppAuth

    @property
    def installed(self) -> GitHubInstalled:
        """Where the App is installed."""
        return GitHubInstalled(self.session, self.auth)


@asynccontextmanager
async def app_itself(settings: Settings, policy: RetryPolicy) -> AsyncIterator[AppItself]:
    """The App's own view of GitHub; nothing is asked yet.

    Raises:
        UserError: the address is no GitHub's.
    """
    endpoint = Endpoint.of(settings.github_url)
    async with new_session() as session:
        key = AppKey(str(settings.app_id), Secret(settings.private_key))
        yield AppItself(session, AppAuth(session, endpoint, key, policy))


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a command works with: one repository, everything else as in the service, memory for one run."""

    workshop: Workshop
    installed_on: Callable[[str], Awaitable[int]]  # the App's installation on owner/name; 0 with a token
    forge: Callable[[TaskRequest], Forge]


@asynccontextmanager
async def workbench(given: Credentials, repository: str, folder: Path) -> AsyncIterator[Workbench]:
    """Build what `recalibrate run` works with; nothing outside `folder` is remembered.

    Raises:
        UserError: the credentials cannot be used.
        RetryableError: GitHub did not answer.
    """
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(new_session())
        endpoint = Endpoint.of(given.github_url)
        app = AppAuth(session, endpoint, AppKey(str(given.app_id), Secret(given.private_key)))
        who = GivenToken(Secret(given.token))
        if given.app_id:
            identity = Identity(given.app_id, f"{(await app.me()).slug}[bot]")
        else:
            reader = GitHubClient(session, endpoint, Granted(who, READ.named(repository)))
            identity = Identity(0, await login_of_token(reader))
        store = Store.open(f"sqlite:///{folder / 'run.sqlite'}")
        stack.callback(store.close)
        processes = stack.enter_context(Processes(PROCESSES))
        root = folder / "logs"
        forges = Forges(session, endpoint, app if given.app_id else who, identity, root)
        workshop = Workshop(
            forge=forges.of,
            installed=GitHubInstalled(session, app),
            store=store,
            executor=processes,
            now=utc_now,
            log_root=root,
        )

        async def installed_on(full_name: str) -> int:
            return await app.installation_id(full_name) if given.app_id else 0

        yield Workbench(workshop, installed_on, forges.of)


def _routes(receiver: Receiver, readiness: Readiness, role: Role) -> web.Application:
    routes = web.Application(client_max_size=receiver.max_bytes)
    if role is not Role.WORKER:
        routes.router.add_post("/webhook", receiver.handle)
    routes.router.add_get("/healthz", _healthy)
    routes.router.add_get("/readyz", readiness.handle)
    return routes


async def _healthy(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})
