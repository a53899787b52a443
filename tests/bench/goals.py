"""The single figures of the bench: what each says, and the most that it should be. Measures nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """`most` None: there is none."""

    says: str
    most: float | None = None


FIGURES: Mapping[str, Goal] = {
    "log_parse_vs_grep": Goal("a log of 67 MB hashed, counted and parsed, over `grep -cF` of it", 8),
    "log_parse_s": Goal("the same in seconds"),
    "log_parse_grep_s": Goal("grep's seconds"),
    "log_parse_growth": Goal("seconds a byte at 67 MB, over those at 17 MB", 1.2),
    "log_parse_peak_mb": Goal("memory that reading it adds, MB", 64),
    "older_log_parse_vs_grep": Goal("the older suite runner's log, over grep", 8),
    "older_log_parse_peak_mb": Goal("memory, MB", 64),
    "block_log_parse_vs_grep": Goal("a log with a structured block, over grep", 8),
    "block_log_parse_peak_mb": Goal("memory, MB", 64),
    "registry_cold_vs_ast": Goal("registrations of 300 files, 60 of them with calls, over `ast.parse` of all", 0.5),
    "registry_warm_vs_ast": Goal("the same when the blobs are known", 0.1),
    "registry_all_vs_ast": Goal("all 300 with calls", 1.5),
    "registry_newer_all_vs_ast": Goal("all with newer calls", 1.5),
    "registry_yaml_vs_compose": Goal("1,000 estimates in one YAML file, over composing it", 1.5),
    "webhook_to_pr_s": Goal("a nightly of 60 jobs and 40 edits, delivery to pull request, seconds", 5),
    "github_calls_over_jobs": Goal("requests of a first nightly beyond one a job", 25),
    "ack_p50_ms": Goal("a delivery's answer, median, ms"),
    "ack_p99_ms": Goal("99 of 100 answers, ms", 1000),
}


def missed(name: str, value: float) -> bool:
    """True where a goal is set and exceeded."""
    goal = FIGURES[name].most if name in FIGURES else None
    return goal is not None and value > goal
