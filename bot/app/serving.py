"""One process of the service: built in order, stopped in the order's reverse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from bot.app.pages import pages_of
from bot.app.routes import routes_of
from bot.app.working import Door, Worker, nobody
from bot.records import Host, Role
from bot.settings import Settings
from bot.store.open import Store, utc_now
from bot.tasks.hosts import VIGIL, Caretaker, Vigil, Watch, forever
from bot.tasks.parking import LOOK_S, take_up
from bot.tasks.queue import DurableQueue, QueueSettings
from bot.tasks.stepping import PATIENT, Patience
from bot.tasks.sweeping import sweep_request
from bot.webhook.ready import NotReady, Readiness
from bot.webhook.receiver import Receiver

SWEEP_CHECK_S = 60.0


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its routes, its queue and its memory."""

    web: web.Application
    queue: DurableQueue
    store: Store


@asynccontextmanager
async def service(settings: Settings, patience: Patience = PATIENT, vigil: Vigil = VIGIL) -> AsyncIterator[Service]:
    """Build the service, or the process of it that the settings' role names, and stop everything at the end.

    Raises:
        UserError: a setting, the App's key, or a database cannot be used.
        RetryableError: GitHub did not answer.
    """
    async with AsyncExitStack() as stack:
        settings.work_dir.mkdir(parents=True, exist_ok=True)
        store = Store.open(settings.database_url)
        stack.callback(store.close)
        door = Door()
        worker = Worker(settings, store, patience, door)
        perform = nobody if settings.role is Role.WEB else await worker.build(stack)
        queue = door.queue = DurableQueue(_queue_settings(settings, patience), perform)
        await queue.start()
        stack.push_async_callback(queue.stop)
        await stack.enter_async_context(_housekeeping(settings, store, queue, vigil))
        receiver = Receiver(settings.webhook_secret, queue, store.deliveries, app_id=settings.app_id)
        pages = await pages_of(stack, settings, store, queue)
        yield Service(routes_of(receiver, _readiness(stack, store, queue), settings.role, pages), queue, store)


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


@asynccontextmanager
async def _housekeeping(settings: Settings, store: Store, queue: DurableQueue, vigil: Vigil) -> AsyncIterator[None]:
    """Say that this process is alive and, where it works, look after the others, until the end."""
    me = Host(settings.executor_id, settings.role, queue.version)
    caretaker = Caretaker(me, store.hosts, queue, Watch(vigil.silent_s))
    await caretaker.beat()

    async def sweep() -> None:
        await queue.enqueue(sweep_request(utc_now(), settings.sweep_minutes))

    async def go_on() -> None:
        await take_up(store.parked, queue.enqueue, utc_now())

    running = [asyncio.create_task(forever(caretaker.beat, vigil.beat_s))]
    if me.works:
        running.append(asyncio.create_task(forever(caretaker.look, vigil.beat_s)))
        running.append(asyncio.create_task(forever(go_on, LOOK_S)))
    if me.works and settings.sweep_minutes:
        running.append(asyncio.create_task(forever(sweep, SWEEP_CHECK_S)))
    try:
        yield
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
