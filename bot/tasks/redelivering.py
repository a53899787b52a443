"""A sweep's step about deliveries: those that never arrived are asked for again.

What GitHub refuses here ends no sweep: the nights and repositories it looks at do not need it.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from bot.errors import UserError
from bot.records.deliveries import FailedDelivery
from bot.tasks.stepping import Json
from bot.tasks.values import REDELIVERED, Redelivered
from bot.tasks.workshop import SweepWork, Workshop

DELIVERY_DAYS = 3  # GitHub gives a delivery again for as long
MOST_DELIVERIES, MOST_TRIES = 100, 5

log = logging.getLogger(__name__)


async def redeliver(workshop: Workshop, work: SweepWork) -> Json:
    """Ask for deliveries again; one that was tried often enough, or that GitHub will not give, is left and counted.

    Raises:
        RetryableError: GitHub did not answer.
    """
    try:
        found = await work.deliveries.failed(workshop.now() - timedelta(days=DELIVERY_DAYS))
    except UserError as error:
        return REDELIVERED.dump(Redelivered(0, 0, str(error)[:200]))
    noted = workshop.store.deliveries.find
    lost = [one for one in found if await asyncio.to_thread(noted, one.guid) is None]
    again = [one for one in lost if one.tries < MOST_TRIES][:MOST_DELIVERIES]
    asked = sum([await _asked(work, one) for one in again])
    return REDELIVERED.dump(Redelivered(asked, len(lost) - asked))


async def _asked(work: SweepWork, delivery: FailedDelivery) -> bool:
    try:
        await work.deliveries.again(delivery)
    except UserError as error:
        log.warning("a delivery is not given again", extra={"delivery": delivery.guid, "why": str(error)[:200]})
        return False
    return True
