"""`make bench`: what each measurement offers, printed beside its goal and written to `bench.json`.

Figures are ratios taken in one run on one machine, so that they mean the same on another. A goal
that is missed is shown and fails nothing: a busy neighbour is no regression. The part that reads a
large log needs `RECALIBRATE_DATA` and is left out, with a word about it, where that is unset.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench import log_parse, registry, service

OUT = Path(__file__).parents[2] / "bench.json"

GOALS: Mapping[str, float] = {  # each at most
    "log_parse_vs_grep": 8,
    "log_parse_growth": 1.2,
    "log_parse_peak_mb": 64,
    "older_log_parse_vs_grep": 8,
    "older_log_parse_peak_mb": 64,
    "block_log_parse_vs_grep": 8,
    "block_log_parse_peak_mb": 64,
    "registry_cold_vs_ast": 0.5,
    "registry_warm_vs_ast": 0.1,
    "registry_all_vs_ast": 1.5,
    "registry_newer_all_vs_ast": 1.5,
    "registry_yaml_vs_compose": 1.5,
    "webhook_to_pr_s": 5,
    "github_calls_over_jobs": 25,
}


def figures(data: str | None) -> dict[str, float]:
    """All figures, by name; those of the log only where there is data."""
    found: dict[str, float] = {}
    if data:
        found |= log_parse.measure(Path(data))
    else:
        print("log_parse: left out, RECALIBRATE_DATA is not set", file=sys.stderr)
    return found | registry.measure() | service.measure()


def table(found: Mapping[str, float]) -> str:
    """One line a figure: name, value, goal, and whether it is missed."""
    lines = [f"{'':<24}{'measured':>10}{'at most':>10}"]
    for name, value in found.items():
        goal = GOALS.get(name)
        said = "" if goal is None else f"{goal:>10g}{'' if value <= goal else '  missed'}"
        lines.append(f"{name:<24}{value:>10g}{said}")
    return "\n".join(lines)


def main() -> int:
    """Measure, print, write."""
    found = figures(os.environ.get("RECALIBRATE_DATA"))
    print(table(found))
    OUT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"written to {OUT.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
