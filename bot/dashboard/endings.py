"""How a task ended, as a page says it: the name, a tone beside it, and the sentence where it is for everybody.

Names are those of `bot.tasks.outcomes.OutcomeName`; a test holds the tones to them.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.records.work import TaskOutcome

GOOD = frozenset(
    {"published", "refreshed", "withdrawn", "nothing_to_change", "answered", "checked", "switched"}
)  # fmt: skip
WARN = frozenset(
    {"question_asked", "branch_of_a_person", "branch_of_another_app", "base_keeps_moving", "not_saved", "run_gone",
     "no_timings", "unverified", "suspended", "config_unreadable"}
)  # fmt: skip
BAD = frozenset(
    {"branch_protected", "pull_request_forbidden", "logs_forbidden", "config_invalid", "gate_refused", "refused",
     "internal_error"}
)  # fmt: skip
TOLD_TO_OPERATORS = frozenset({"internal_error", "unverified"})  # their detail is not for readers of a repository


@dataclass(frozen=True, slots=True)
class Ended:
    """How a task ended; `kind` is a tone, `detail` "" where there is nothing to say, or not to everybody."""

    name: str
    kind: str
    detail: str


def ended(outcome: TaskOutcome | None) -> Ended:
    """For readers of a repository; None is a task that has not ended."""
    if outcome is None:
        return Ended("no task has ended", "quiet", "")
    detail = "" if outcome.name in TOLD_TO_OPERATORS else outcome.detail
    return Ended(outcome.name.replace("_", " "), tone(outcome.name), detail)


def tone(outcome: str) -> str:
    """`good`, `warn`, `bad` or `quiet`: a class of the pages' style. A name unknown here is quiet."""
    found = (word for word, names in (("good", GOOD), ("warn", WARN), ("bad", BAD)) if outcome in names)
    return next(found, "quiet")
