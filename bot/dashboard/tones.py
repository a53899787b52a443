"""Which of four tones a task's end is shown in. The word beside it says what it is; a name unknown here is quiet."""

from __future__ import annotations

# Names of `bot.tasks.outcomes.OutcomeName`; a test holds them to it.
GOOD = frozenset({"published", "refreshed", "withdrawn", "answered", "checked", "switched"})
WARN = frozenset(
    {"question_asked", "branch_of_a_person", "branch_of_another_app", "base_keeps_moving", "not_saved", "run_gone",
     "no_timings", "unverified", "suspended", "config_unreadable"}
)  # fmt: skip
BAD = frozenset(
    {"branch_protected", "pull_request_forbidden", "logs_forbidden", "config_invalid", "gate_refused", "refused",
     "internal_error"}
)  # fmt: skip


def tone(outcome: str) -> str:
    """`good`, `warn`, `bad` or `quiet`: a class of the pages' style."""
    found = (word for word, names in (("good", GOOD), ("warn", WARN), ("bad", BAD)) if outcome in names)
    return next(found, "quiet")
