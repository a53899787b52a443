"""Promises of `/readyz`: ready while every part answers, else every reason by name, within its time."""

import asyncio
from pathlib import Path

import pytest

from bot.errors import InternalError, RetryableError
from bot.store.open import Store
from bot.webhook.ready import NotReady, Probe, Readiness


async def well() -> None:
    return None


async def away() -> None:
    raise RetryableError("away")


async def stopped() -> None:
    raise InternalError("stopped")


async def hangs() -> None:
    await asyncio.Event().wait()


CASES: tuple[tuple[Probe, Probe, tuple[NotReady, ...]], ...] = (
    (well, well, ()),
    (away, well, (NotReady.STORE_AWAY,)),
    (well, stopped, (NotReady.QUEUE_STOPPED,)),
    (hangs, well, (NotReady.STORE_AWAY,)),
    (hangs, away, (NotReady.STORE_AWAY, NotReady.QUEUE_STOPPED)),
)


@pytest.mark.parametrize(("store", "queue", "expected"), CASES)
def test_every_part_that_is_not_well_is_named(store: Probe, queue: Probe, expected: tuple[NotReady, ...]) -> None:
    ready = Readiness({NotReady.STORE_AWAY: store, NotReady.QUEUE_STOPPED: queue}, answer_s=0.05)
    assert asyncio.run(ready.reasons()) == expected


def test_a_part_that_hangs_is_asked_once_however_often_it_is_wanted_and_heals() -> None:
    async def act() -> None:
        asked, heal = [], asyncio.Event()

        async def slow() -> None:
            asked.append(1)
            await heal.wait()

        ready = Readiness({NotReady.STORE_AWAY: slow}, answer_s=0.02)
        found = await asyncio.gather(ready.reasons(), ready.reasons())
        assert found == [(NotReady.STORE_AWAY,), (NotReady.STORE_AWAY,)]
        assert len(asked) == 1
        heal.set()
        assert await ready.reasons() == ()
        assert await ready.reasons() == ()
        assert len(asked) == 2

    asyncio.run(act())


def test_a_store_that_lost_its_tables_is_not_ready(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'store.sqlite'}")

    async def asked() -> tuple[NotReady, ...]:
        return await Readiness({NotReady.STORE_AWAY: lambda: asyncio.to_thread(store.answers)}).reasons()

    try:
        assert asyncio.run(asked()) == ()
        with store.database.write() as connection:
            connection.exec_driver_sql("DROP TABLE hosts")
        assert asyncio.run(asked()) == (NotReady.STORE_AWAY,)
    finally:
        store.close()
