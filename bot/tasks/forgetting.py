"""Takes the tasks of one repository out of the durable engine: what they were asked, and what each step kept.

Which repository is to be forgotten is decided elsewhere, and so is how long tasks of others are kept.
"""

from __future__ import annotations

from dbos import DBOS

from bot.domain import RepositoryId, TaskKind

MOST_AT_ONCE, MOST_ROUNDS = 500, 200


async def forget_tasks(queue: str, repository_id: RepositoryId) -> int:
    """Delete every task about a repository, however it stands; how many. A second time finds none."""
    prefixes = [f"{kind}:{repository_id}:" for kind in (TaskKind.NIGHTLY, TaskKind.PULL_REQUEST, TaskKind.COMMAND)]
    return await _delete(queue, prefixes, None) + await _delete(queue, [f"{TaskKind.CHECK_ACTION}:"], repository_id)


async def _delete(queue: str, prefixes: list[str], lanes_of: RepositoryId | None) -> int:
    """Those whose key begins so; with `lanes_of` only those in a lane of that repository."""
    lanes = {f"repository:{lanes_of}", f"pull_requests:{lanes_of}"}
    deleted, seen = 0, 0
    for _ in range(MOST_ROUNDS):
        found = await DBOS.list_workflows_async(
            queue_name=queue,
            workflow_id_prefix=prefixes,
            limit=MOST_AT_ONCE,
            offset=seen,
            load_input=False,
            load_output=False,
        )
        mine = [one.workflow_id for one in found if lanes_of is None or one.queue_partition_key in lanes]
        if mine:
            await DBOS.delete_workflows_async(mine)
        deleted, seen = deleted + len(mine), seen + len(found) - len(mine)
        if len(found) < MOST_AT_ONCE:
            break
    return deleted
