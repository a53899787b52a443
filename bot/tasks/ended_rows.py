"""Rows that the durable engine (dbos 3.4) keeps of tasks that ended: deleted by age.

A delivery that comes again after its task's row is gone is worked on again; what it finds done it does not do twice.
A task that has not ended is never touched. Those of a forgotten repository are `bot.tasks.forgetting`'s part.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from datetime import datetime

from dbos import DBOS

ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]  # the engine's words
AT_ONCE, MOST_ROUNDS = 500, 40


async def trim(moment: datetime) -> int:
    """Delete tasks that ended before a moment, a bounded number of them; how many that were.

    Not as a part of the task that asks: the engine would keep each call as a step of it.
    """
    return await asyncio.get_running_loop().create_task(_trim(moment), context=Context())


async def _trim(moment: datetime) -> int:
    count = 0
    for _ in range(MOST_ROUNDS):
        found = await DBOS.list_workflows_async(
            status=ENDED, completed_before=moment.isoformat(), limit=AT_ONCE, load_input=False, load_output=False
        )
        if not found:
            break
        await DBOS.delete_workflows_async([one.workflow_id for one in found])
        count += len(found)
    return count
