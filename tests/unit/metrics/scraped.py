"""What a scrape says, for tests of the metrics."""

from __future__ import annotations

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric


def samples(registry: CollectorRegistry) -> dict[str, float]:
    """Every sample of our own, by name and labels as they are written: `name{a="1",b="2"}`."""
    return {
        _named(sample.name, sample.labels): sample.value
        for family in families(registry)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def families(registry: CollectorRegistry) -> list[Metric]:
    """Our own, without those of the process."""
    return [family for family in registry.collect() if not family.name.startswith("process_")]


def _named(name: str, labels: dict[str, str]) -> str:
    inner = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{name}{{{inner}}}" if inner else name
