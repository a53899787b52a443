"""The table of metrics in the documents is what a scrape can show, word for word."""

from __future__ import annotations

from pathlib import Path

from tests.unit.metrics.registry import Told, told

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "operation.md"


def row(name: str, metric: Told) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{name}` | {labels}{' ' if labels else ''}| {metric.meaning} |"


def test_every_metric_is_told_with_its_labels_and_its_meaning() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").partition("\n## Metrics\n")[2].partition("\n## ")[0]
    shown = [line for line in section.splitlines() if line.startswith("| `")]
    assert shown == [row(name, metric) for name, metric in sorted(told().items())]
