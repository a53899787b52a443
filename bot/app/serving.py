"""One process of the service: built in order, stopped in the order's reverse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp.web import Application

from bot import __version__
from bot.app.health import Health
from bot.app.introduced import Introduced
from bot.app.pages import pages_of
from bot.app.routes import metrics_of, routes_of
from bot.app.working import Door, Worker, nobody
from bot.environment import naming
from bot.errors import UserError
from bot.metrics.counts import Counts
from bot.metrics.page import MetricsPage
from bot.metrics.standing import Standing
from bot.records.work import Host, ProcessRole
from bot.settings import Settings
from bot.store.open import Store, utc_now
from bot.tasks.hosts import VIGIL, Caretaker, Vigil, Watch, forever
from bot.tasks.parking import LOOK_S, take_up
from bot.tasks.queue import DurableQueue, QueueSettings
from bot.tasks.retaining import retention_request
from bot.tasks.stepping import PATIENT, Patience
from bot.tasks.sweeping import sweep_request
from bot.webhook.receiver import Receiver

SWEEP_CHECK_S = 60.0
RETENTION_CHECK_S = 900.0  # it is asked for once a day; who asks again changes nothing
STEPS_SHARE = 0.7  # of the time for a stop: for steps at work to end; what follows needs the rest
RECEIVING = 4  # threads for answers to webhooks


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its routes, its queue and its memory. `metrics` is for a port of its own."""

    web: Application
    metrics: Application
    queue: DurableQueue
    store: Store


@asynccontextmanager
async def service(settings: Settings, patience: Patience = PATIENT, vigil: Vigil = VIGIL) -> AsyncIterator[Service]:
    """Build the service, or the process of it that the settings' role names, and stop everything at the end.

    Raises:
        UserError: a setting, the App's key, or a database cannot be used.
    """
    async with AsyncExitStack() as stack:
        _made(settings.work_dir)
        counts = Counts()
        with naming("DATABASE_URL"):
            store = Store.open(settings.database_url)
        stack.callback(store.close)
        door = Door()
        introduced = Introduced()
        worker = Worker(settings, store, patience, door, counts, introduced)
        perform = nobody if settings.role is ProcessRole.WEB else await worker.build(stack)
        queue = door.queue = DurableQueue(_queue_settings(settings, patience, counts), perform)
        with naming("QUEUE_URL"):
            await queue.start()
        stack.push_async_callback(queue.stop, settings.operating.stop_s * STEPS_SHARE)
        await stack.enter_async_context(_housekeeping(settings, store, queue, vigil))
        counts.built(__version__, queue.version, settings.role.value)
        receiver = _receiver(stack, settings, store, queue, counts)
        asking = ThreadPoolExecutor(1, "asking")
        stack.callback(asking.shutdown, wait=False)
        health = Health(store, queue, asking, introduced if settings.role is ProcessRole.WORKER else None)
        pages = await pages_of(stack, settings, store, queue, counts)
        routes = routes_of(receiver, health.readiness, settings.role, pages)
        standing = Standing(health.sources())
        counts.registry.register(standing)
        yield Service(routes, metrics_of(MetricsPage(counts.registry, standing)), queue, store)


def _made(work_dir: Path) -> None:
    try:
        work_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"RECALIBRATE_WORK_DIR: {work_dir}: cannot be made: {error.strerror}; name another") from None


def _receiver(stack: AsyncExitStack, settings: Settings, store: Store, queue: DurableQueue, counts: Counts) -> Receiver:
    """An answer to a webhook waits for no task's work: it has threads of its own."""
    threads = ThreadPoolExecutor(RECEIVING, "webhook")
    stack.callback(threads.shutdown)
    return Receiver(
        settings.webhook_secret,
        queue,
        store.deliveries,
        app_id=settings.app_id,
        counted=counts.delivery,
        threads=threads,
    )


def _queue_settings(settings: Settings, patience: Patience, counts: Counts) -> QueueSettings:
    return QueueSettings(
        database_url=settings.queue_url,
        executor_id=settings.executor_id,
        workers=settings.workers,
        patience=patience,
        role=settings.role,
        tried=counts.step,
    )


@asynccontextmanager
async def _housekeeping(settings: Settings, store: Store, queue: DurableQueue, vigil: Vigil) -> AsyncIterator[None]:
    """Say that this process is alive and, where it works, look after the others, until the end."""
    me = Host(settings.executor_id, settings.role, queue.version)
    caretaker = Caretaker(me, store.hosts, queue, Watch(vigil.silent_s))
    await caretaker.beat()

    async def sweep() -> None:
        await queue.enqueue(sweep_request(utc_now(), settings.sweep_minutes))

    async def retain() -> None:
        await queue.enqueue(retention_request(utc_now()))

    async def go_on() -> None:
        await take_up(store.parked, queue.enqueue, utc_now())

    running = [asyncio.create_task(forever(caretaker.beat, vigil.beat_s))]
    if me.works:
        running.append(asyncio.create_task(forever(caretaker.look, vigil.beat_s)))
        running.append(asyncio.create_task(forever(go_on, LOOK_S)))
        running.append(asyncio.create_task(_later(retain, RETENTION_CHECK_S)))
    if me.works and settings.sweep_minutes:
        running.append(asyncio.create_task(forever(sweep, SWEEP_CHECK_S)))
    try:
        yield
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _later(work: Callable[[], Awaitable[object]], every_s: float) -> None:
    """The same, but not at once: a process that has just started has better things to do."""
    await asyncio.sleep(every_s)
    await forever(work, every_s)
