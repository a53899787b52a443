"""What an operator sees: deliveries and what became of them, tasks under way, tasks that ended, processes.

Across all repositories, so it is shown to configured logins alone. Pure but for the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.dashboard import addresses
from bot.dashboard.numbers import whole_number
from bot.dashboard.ports import UnderWay
from bot.dashboard.templates import Frame, render
from bot.domain import RepositoryId
from bot.records.deliveries import NotedDelivery
from bot.records.work import Host, TaskOutcome
from bot.store.open import Store

MOST = 50  # rows of one list
MOST_SKIPPED = 10_000  # the store is walked no further back


@dataclass(frozen=True, slots=True)
class Asked:
    """How many of the newest rows of each list are passed over."""

    deliveries: int = 0
    tasks: int = 0

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Asked:
        """What an address asks for; what is no number from 0 to `MOST_SKIPPED` is 0."""
        return cls(*(whole_number(query.get(name, ""), MOST_SKIPPED) for name in ("deliveries", "tasks")))

    def address(self) -> str:
        """The address that asks for this."""
        return f"{addresses.OPERATOR}?deliveries={self.deliveries}&tasks={self.tasks}"


@dataclass(frozen=True, slots=True)
class View:
    """Everything the page shows. `names` are repositories by id."""

    deliveries: Sequence[NotedDelivery]
    ended: Sequence[TaskOutcome]
    hosts: Sequence[Host]
    names: Mapping[RepositoryId, str]


def read(store: Store, asked: Asked) -> View:
    """One more row of each list than is shown, so that it is known whether there are others."""
    ended = store.outcomes.newest(MOST + 1, skip=asked.tasks)
    named = {one.repository_id: store.repositories.find(one.repository_id) for one in ended}
    return View(
        deliveries=store.deliveries.newest(MOST + 1, skip=asked.deliveries),
        ended=ended,
        hosts=store.hosts.every(),
        names={number: found.full_name for number, found in named.items() if found},
    )


def page(frame: Frame, asked: Asked, view: View, under_way: Sequence[UnderWay]) -> str:
    """The page."""
    return render(
        "operator.html",
        frame,
        view=view,
        deliveries=view.deliveries[:MOST],
        older_deliveries=_older(view.deliveries, Asked(asked.deliveries + MOST, asked.tasks), asked.deliveries),
        ended=view.ended[:MOST],
        older_tasks=_older(view.ended, Asked(asked.deliveries, asked.tasks + MOST), asked.tasks),
        under_way=under_way[:MOST],
        more_under_way=max(0, len(under_way) - MOST),
    )


def _older(found: Sequence[object], there: Asked, skipped: int) -> str:
    return there.address() if len(found) > MOST and skipped + MOST <= MOST_SKIPPED else ""
