"""A pull request of ours on a branch that nightlies no longer correct: closed, with a link to the one that goes on.

It happens when a repository gets another default branch. What a person has closed or merged meanwhile,
and what is not ours, is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.domain import RepositoryId
from bot.publish.names import ROLLING_KEY, app_of, marker
from bot.publish.ports.pulls import PullRequestState
from bot.records.publications import Publication, PullRequestEnd
from bot.store.open import Store
from bot.tasks.ports import Writes

KEY = "moved-base"


def left_behind(store: Store, repository_id: RepositoryId, bases: Collection[str]) -> tuple[Publication, ...]:
    """The last publications of pull requests that stand, on branches for other bases than these."""
    return tuple(one for one in store.publications.standing(repository_id) if one.base not in bases)


def close_left_behind(
    store: Store, old: Collection[Publication], now: PullRequestState, app_id: int, writes: Writes
) -> None:
    """Close each of them, saying where it goes on; noted before it is done, so that a repetition finds it done."""
    for one in old:
        if one.pull_request is None or one.pull_request == now.number:
            continue
        pull = writes.pulls.get(one.pull_request)
        if pull.state == "open" and app_of(pull.body, ROLLING_KEY) == app_id:
            mark = marker(app_id, KEY)
            text = f"{mark}\nNightlies correct `{now.base}` now: this goes on in #{now.number}.\n"
            store.publications.end(one.repository_id, pull.number, PullRequestEnd.WITHDRAWN, None)
            writes.comments.put(pull.number, mark, text)
            writes.pulls.close(pull.number)
