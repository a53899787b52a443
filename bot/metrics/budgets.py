"""What is left of GitHub's rate limit: of every budget in use, the tightest one of each resource.

Installations have budgets of their own, which the answers do not name; they are told apart by the moment at
which they renew. One that has renewed since its last answer is full again, and no longer told.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bot.forge.calls import Budget

RESOURCES = frozenset({"core", "graphql", "search"})  # what this program uses; any other is told as "other"
MOST_HELD = 1000


class Budgets(Collector):
    """Threads may share one. `clock` gives seconds since the epoch."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._held: dict[tuple[str, int], Budget] = {}
        self._lock = threading.Lock()

    def note(self, budget: Budget) -> None:
        """Take in what one answer said; of answers that came out of order the lowest counts."""
        resource = budget.resource if budget.resource in RESOURCES else "other"
        key = (resource, budget.resets_at)
        with self._lock:
            before = self._held.get(key)
            if before is None and len(self._held) >= MOST_HELD:
                self._held = self._current()
            if before is None or budget.remaining < before.remaining:
                self._held[key] = budget

    def collect(self) -> Iterator[Metric]:
        """Two gauges by resource; nothing for a resource of which nothing is known now."""
        with self._lock:
            self._held = self._current()
            tightest: dict[str, Budget] = {}
            for (resource, _), budget in self._held.items():
                if resource not in tightest or _share(budget) < _share(tightest[resource]):
                    tightest[resource] = budget
        left = GaugeMetricFamily(
            "recalibrate_github_budget_remaining", "Requests left of the tightest budget.", labels=["resource"]
        )
        limit = GaugeMetricFamily(
            "recalibrate_github_budget_limit", "What the tightest budget began with.", labels=["resource"]
        )
        for resource, budget in sorted(tightest.items()):
            left.add_metric([resource], budget.remaining)
            limit.add_metric([resource], budget.limit)
        yield left
        yield limit

    def _current(self) -> dict[tuple[str, int], Budget]:
        now = self._clock()
        kept = [(key, budget) for key, budget in self._held.items() if budget.resets_at > now]
        return dict(kept[-MOST_HELD + 1 :])


def _share(budget: Budget) -> float:
    return budget.remaining / budget.limit if budget.limit else 0.0
