"""`GET /metrics`: everything counted and everything that stands, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from bot.metrics.standing import Standing


class _WithoutBirths(Collector):
    """A registry without the moments at which its counters were made, which would double what is read."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        for family in self._registry.collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family


@dataclass(frozen=True, slots=True)
class MetricsPage:
    """Answers a scrape."""

    registry: CollectorRegistry
    standing: Standing

    async def handle(self, _request: web.Request) -> web.Response:
        """200, always: what is not known is left out."""
        await self.standing.look()
        text = generate_latest(_WithoutBirths(self.registry))
        return web.Response(body=text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
